// Requests over HTTP, through `wasi:http`. The host checks each one against the grant `http` in `skill.json`, and limits
// their number, size and time. A redirect is an answer: it is not followed. Nothing here is about any skill.
#pragma once

#include "host.h"

// Most bytes that the host takes at once.
#define HTTP_WRITE_BYTES_MAX 4096

// Most bytes that are read at once.
#define HTTP_READ_BYTES 65536

// The methods, as the component model counts them.
enum http_method { HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_PUT, HTTP_DELETE, HTTP_PATCH = 8 };

// The answer of a host.
struct http_answer {
  // Such as 200.
  unsigned status;
  struct text body;
};

// Makes a request and reads the whole answer. `media_type` is that of the content; NULL for a request without one. False
// if there is no answer: the host is not granted, is not reached, or breaks off.
static inline bool http_send(enum http_method method, const char *url, const char *media_type, struct text content, struct http_answer *answer);

#ifdef __wasm__
// A handle of a resource. The host has the resource itself.
typedef int32_t http_handle;

// The layout that the component model gives to an answer without a fault of its own.
struct http_result {
  uint8_t is_error;
  http_handle handle;
};

// The same, for an error with a cause, which is not read here. It needs 32 bytes.
struct http_outcome {
  uint8_t is_error;
  union {
    http_handle handle;
    uint64_t error[4];
  };
};

struct http_arrival {
  uint8_t is_there;
  struct {
    uint8_t is_taken;
    struct http_outcome outcome;
  };
};

struct http_piece {
  uint8_t is_error;
  union {
    struct text bytes;
    struct {
      uint8_t is_closed;
      http_handle error;
    };
  };
};

#define HTTP_TYPES(name) HOST("wasi:http/types@0.2.0", name)
#define HTTP_STREAMS(name) HOST("wasi:io/streams@0.2.0", name)

HTTP_TYPES("[constructor]fields") http_handle http_fields(void);
HTTP_TYPES("[method]fields.append")
void http_fields_append(http_handle fields, const char *name, size_t name_len, const char *value, size_t value_len, uint8_t result[2]);
HTTP_TYPES("[constructor]outgoing-request") http_handle http_request(http_handle fields);
HTTP_TYPES("[method]outgoing-request.set-method")
int http_set_method(http_handle request, int method, const char *other, size_t len);
HTTP_TYPES("[method]outgoing-request.set-scheme")
int http_set_scheme(http_handle request, int is_some, int scheme, const char *other, size_t len);
HTTP_TYPES("[method]outgoing-request.set-authority")
int http_set_authority(http_handle request, int is_some, const char *authority, size_t len);
HTTP_TYPES("[method]outgoing-request.set-path-with-query")
int http_set_path(http_handle request, int is_some, const char *path, size_t len);
HTTP_TYPES("[method]outgoing-request.body") void http_request_body(http_handle request, struct http_result *body);
HTTP_TYPES("[method]outgoing-body.write") void http_body_write(http_handle body, struct http_result *stream);
HTTP_TYPES("[static]outgoing-body.finish")
void http_body_finish(http_handle body, int has_trailers, http_handle trailers, struct http_outcome *result);
HTTP_TYPES("[method]future-incoming-response.subscribe") http_handle http_subscribe(http_handle pending);
HTTP_TYPES("[method]future-incoming-response.get") void http_arrived(http_handle pending, struct http_arrival *arrival);
HTTP_TYPES("[method]incoming-response.status") int http_status(http_handle response);
HTTP_TYPES("[method]incoming-response.consume") void http_consume(http_handle response, struct http_result *body);
HTTP_TYPES("[method]incoming-body.stream") void http_body_stream(http_handle body, struct http_result *stream);
HTTP_STREAMS("[method]output-stream.blocking-write-and-flush")
void http_write(http_handle stream, const char *bytes, size_t len, struct http_piece *result);
HTTP_STREAMS("[resource-drop]output-stream") void http_drop_output(http_handle stream);
HTTP_STREAMS("[method]input-stream.blocking-read") void http_read(http_handle stream, uint64_t len, struct http_piece *piece);
HOST("wasi:io/poll@0.2.0", "[method]pollable.block") void http_block(http_handle pollable);
HOST("wasi:http/outgoing-handler@0.2.0", "handle")
void http_handle_request(http_handle request, int has_options, http_handle options, struct http_outcome *pending);

// Gives the request its address. False if it does not begin with `https://` or `http://`.
static inline bool http_set_url(http_handle request, const char *url) {
  bool is_encrypted = strncmp(url, "https://", 8) == 0;
  if (!is_encrypted && strncmp(url, "http://", 7) != 0) return false;
  const char *authority = url + (is_encrypted ? 8 : 7), *path = strchr(authority, '/');
  size_t authority_len = path ? (size_t)(path - authority) : strlen(authority);
  if (!path) path = "/";
  return http_set_scheme(request, 1, is_encrypted, NULL, 0) == 0 && http_set_authority(request, 1, authority, authority_len) == 0 &&
         http_set_path(request, 1, path, strlen(path)) == 0;
}

static inline bool http_write_body(http_handle body, struct text content) {
  struct http_result stream;
  http_body_write(body, &stream);
  if (stream.is_error) return false;
  for (size_t at = 0; at < content.len; at += HTTP_WRITE_BYTES_MAX) {
    struct http_piece written;
    size_t rest = content.len - at;
    http_write(stream.handle, content.at + at, rest < HTTP_WRITE_BYTES_MAX ? rest : HTTP_WRITE_BYTES_MAX, &written);
    if (written.is_error) return false;
  }
  // The stream is a part of the content.
  http_drop_output(stream.handle);
  struct http_outcome finished;
  http_body_finish(body, 0, 0, &finished);
  return !finished.is_error;
}

static inline bool http_read_body(http_handle response, struct text *content) {
  struct http_result body, stream;
  http_consume(response, &body);
  if (body.is_error) return false;
  http_body_stream(body.handle, &stream);
  if (stream.is_error) return false;
  char *bytes = NULL;
  size_t len = 0;
  for (;;) {
    struct http_piece piece;
    http_read(stream.handle, HTTP_READ_BYTES, &piece);
    if (piece.is_error) {
      *content = (struct text){bytes, len};
      return piece.is_closed;
    }
    bytes = cabi_realloc(bytes, len, 1, len + piece.bytes.len + 1);
    memcpy(bytes + len, piece.bytes.at, piece.bytes.len);
    len += piece.bytes.len;
    if (piece.bytes.len > 0) free((void *)piece.bytes.at);
  }
}

static inline bool http_send(enum http_method method, const char *url, const char *media_type, struct text content, struct http_answer *answer) {
  http_handle fields = http_fields();
  uint8_t appended[2] = {0, 0};
  if (media_type) http_fields_append(fields, "content-type", 12, media_type, strlen(media_type), appended);
  http_handle request = http_request(fields);
  if (appended[0] || http_set_method(request, method, NULL, 0) != 0 || !http_set_url(request, url)) return false;
  struct http_result body = {1, 0};
  if (media_type) {
    http_request_body(request, &body);
    if (body.is_error) return false;
  }
  struct http_outcome pending;
  http_handle_request(request, 0, 0, &pending);
  if (pending.is_error) return false;
  if (media_type && !http_write_body(body.handle, content)) return false;
  http_block(http_subscribe(pending.handle));
  struct http_arrival arrival;
  http_arrived(pending.handle, &arrival);
  if (!arrival.is_there || arrival.is_taken || arrival.outcome.is_error) return false;
  answer->status = (unsigned)http_status(arrival.outcome.handle);
  return http_read_body(arrival.outcome.handle, &answer->body);
}
#endif

// As `http_send`, for the ordinary case.
static inline bool http_get(const char *url, struct http_answer *answer) {
  return http_send(HTTP_GET, url, NULL, (struct text){NULL, 0}, answer);
}

COMPONENT_TYPE("narratoria:skill@0.1.0:requests",
  "\\000asm\\015\\000\\001\\000\\000\\031\\026wit-component-encoding\\004\\000\\007\\303\\033\\001A\\002\\001A"
  "\\022\\001B\\004\\004\\000\\010pollable\\003\\001\\001h\\000\\001@\\001\\004self\\001\\001\\000\\004\\000"
  "\\026[method]pollable.block\\001\\002\\003\\000\\022wasi:io/poll@0.2.0\\005\\000\\001B\\001\\004\\000\\005er"
  "ror\\003\\001\\003\\000\\023wasi:io/error@0.2.0\\005\\001\\002\\003\\000\\001\\005error\\001B\\020\\002\\003"
  "\\002\\001\\002\\004\\000\\005error\\003\\000\\000\\001i\\001\\001q\\002\\025last-operation-failed\\001\\002"
  "\\000\\006closed\\000\\000\\004\\000\\014stream-error\\003\\000\\003\\004\\000\\014input-stream\\003\\001"
  "\\004\\000\\015output-stream\\003\\001\\001h\\005\\001p}\\001j\\001\\010\\001\\004\\001@\\002\\004self\\007"
  "\\003lenw\\000\\011\\004\\000\\\"[method]input-stream.blocking-read\\001\\012\\001h\\006\\001j\\000\\001"
  "\\004\\001@\\002\\004self\\013\\010contents\\010\\000\\014\\004\\000.[method]output-stream.blocking-write-an"
  "d-flush\\001\\015\\003\\000\\025wasi:io/streams@0.2.0\\005\\003\\002\\003\\000\\000\\010pollable\\002\\003"
  "\\000\\002\\014input-stream\\002\\003\\000\\002\\015output-stream\\001Bj\\002\\003\\002\\001\\004\\004\\000"
  "\\010pollable\\003\\000\\000\\002\\003\\002\\001\\005\\004\\000\\014input-stream\\003\\000\\002\\002\\003"
  "\\002\\001\\006\\004\\000\\015output-stream\\003\\000\\004\\001q\\012\\003get\\000\\000\\004head\\000\\000"
  "\\004post\\000\\000\\003put\\000\\000\\006delete\\000\\000\\007connect\\000\\000\\007options\\000\\000\\005t"
  "race\\000\\000\\005patch\\000\\000\\005other\\001s\\000\\004\\000\\006method\\003\\000\\006\\001q\\003\\004H"
  "TTP\\000\\000\\005HTTPS\\000\\000\\005other\\001s\\000\\004\\000\\006scheme\\003\\000\\010\\001ks\\001k{"
  "\\001r\\002\\005rcode\\012\\011info-code\\013\\004\\000\\021DNS-error-payload\\003\\000\\014\\001k}\\001r"
  "\\002\\010alert-id\\016\\015alert-message\\012\\004\\000\\032TLS-alert-received-payload\\003\\000\\017\\001k"
  "y\\001r\\002\\012field-name\\012\\012field-size\\021\\004\\000\\022field-size-payload\\003\\000\\022\\001kw"
  "\\001k\\023\\001q'\\013DNS-timeout\\000\\000\\011DNS-error\\001\\015\\000\\025destination-not-found\\000"
  "\\000\\027destination-unavailable\\000\\000\\031destination-IP-prohibited\\000\\000\\031destination-IP-unrou"
  "table\\000\\000\\022connection-refused\\000\\000\\025connection-terminated\\000\\000\\022connection-timeout"
  "\\000\\000\\027connection-read-timeout\\000\\000\\030connection-write-timeout\\000\\000\\030connection-limit"
  "-reached\\000\\000\\022TLS-protocol-error\\000\\000\\025TLS-certificate-error\\000\\000\\022TLS-alert-receiv"
  "ed\\001\\020\\000\\023HTTP-request-denied\\000\\000\\034HTTP-request-length-required\\000\\000\\026HTTP-requ"
  "est-body-size\\001\\024\\000\\033HTTP-request-method-invalid\\000\\000\\030HTTP-request-URI-invalid\\000"
  "\\000\\031HTTP-request-URI-too-long\\000\\000 HTTP-request-header-section-size\\001\\021\\000\\030HTTP-reque"
  "st-header-size\\001\\025\\000!HTTP-request-trailer-section-size\\001\\021\\000\\031HTTP-request-trailer-size"
  "\\001\\023\\000\\030HTTP-response-incomplete\\000\\000!HTTP-response-header-section-size\\001\\021\\000\\031"
  "HTTP-response-header-size\\001\\023\\000\\027HTTP-response-body-size\\001\\024\\000\\\"HTTP-response-trailer"
  "-section-size\\001\\021\\000\\032HTTP-response-trailer-size\\001\\023\\000\\035HTTP-response-transfer-coding"
  "\\001\\012\\000\\034HTTP-response-content-coding\\001\\012\\000\\025HTTP-response-timeout\\000\\000\\023HTTP"
  "-upgrade-failed\\000\\000\\023HTTP-protocol-error\\000\\000\\015loop-detected\\000\\000\\023configuration-er"
  "ror\\000\\000\\016internal-error\\001\\012\\000\\004\\000\\012error-code\\003\\000\\026\\001q\\003\\016inval"
  "id-syntax\\000\\000\\011forbidden\\000\\000\\011immutable\\000\\000\\004\\000\\014header-error\\003\\000"
  "\\030\\001s\\004\\000\\011field-key\\003\\000\\032\\004\\000\\012field-name\\003\\000\\033\\001p}\\004\\000"
  "\\013field-value\\003\\000\\035\\004\\000\\006fields\\003\\001\\004\\000\\007headers\\003\\000\\037\\004"
  "\\000\\010trailers\\003\\000\\037\\004\\000\\020outgoing-request\\003\\001\\004\\000\\015outgoing-body\\003"
  "\\001\\004\\000\\017request-options\\003\\001\\004\\000\\030future-incoming-response\\003\\001\\001{\\004"
  "\\000\\013status-code\\003\\000&\\004\\000\\021incoming-response\\003\\001\\004\\000\\015incoming-body\\003"
  "\\001\\001i\\037\\001@\\000\\000*\\004\\000\\023[constructor]fields\\001+\\001h\\037\\001j\\000\\001\\031"
  "\\001@\\003\\004self,\\004name\\034\\005value\\036\\000-\\004\\000\\025[method]fields.append\\001.\\001o"
  "\\002\\034\\036\\001p/\\001@\\001\\004self,\\0000\\004\\000\\026[method]fields.entries\\0011\\001i \\001i"
  "\\\"\\001@\\001\\007headers2\\0003\\004\\000\\035[constructor]outgoing-request\\0014\\001h\\\"\\001j\\000"
  "\\000\\001@\\002\\004self5\\006method\\007\\0006\\004\\000#[method]outgoing-request.set-method\\0017\\001k"
  "\\011\\001@\\002\\004self5\\006scheme8\\0006\\004\\000#[method]outgoing-request.set-scheme\\0019\\001@\\002"
  "\\004self5\\011authority\\012\\0006\\004\\000&[method]outgoing-request.set-authority\\001:\\001@\\002\\004se"
  "lf5\\017path-with-query\\012\\0006\\004\\000,[method]outgoing-request.set-path-with-query\\001;\\001i#\\001j"
  "\\001<\\000\\001@\\001\\004self5\\000=\\004\\000\\035[method]outgoing-request.body\\001>\\001h#\\001i\\005"
  "\\001j\\001\\300\\000\\000\\001@\\001\\004self?\\000\\301\\000\\004\\000\\033[method]outgoing-body.write"
  "\\001B\\001i!\\001k\\303\\000\\001j\\000\\001\\027\\001@\\002\\004this<\\010trailers\\304\\000\\000\\305"
  "\\000\\004\\000\\034[static]outgoing-body.finish\\001F\\001h%\\001i\\001\\001@\\001\\004self\\307\\000\\000"
  "\\310\\000\\004\\000*[method]future-incoming-response.subscribe\\001I\\001i(\\001j\\001\\312\\000\\001\\027"
  "\\001j\\001\\313\\000\\000\\001k\\314\\000\\001@\\001\\004self\\307\\000\\000\\315\\000\\004\\000$[method]fu"
  "ture-incoming-response.get\\001N\\001h(\\001@\\001\\004self\\317\\000\\000'\\004\\000 [method]incoming-respo"
  "nse.status\\001P\\001@\\001\\004self\\317\\000\\0002\\004\\000![method]incoming-response.headers\\001Q\\001i"
  ")\\001j\\001\\322\\000\\000\\001@\\001\\004self\\317\\000\\000\\323\\000\\004\\000![method]incoming-response"
  ".consume\\001T\\001h)\\001i\\003\\001j\\001\\326\\000\\000\\001@\\001\\004self\\325\\000\\000\\327\\000\\004"
  "\\000\\034[method]incoming-body.stream\\001X\\003\\000\\025wasi:http/types@0.2.0\\005\\007\\002\\003\\000"
  "\\003\\020outgoing-request\\002\\003\\000\\003\\017request-options\\002\\003\\000\\003\\030future-incoming-r"
  "esponse\\002\\003\\000\\003\\012error-code\\001B\\017\\002\\003\\002\\001\\010\\004\\000\\020outgoing-reques"
  "t\\003\\000\\000\\002\\003\\002\\001\\011\\004\\000\\017request-options\\003\\000\\002\\002\\003\\002\\001"
  "\\012\\004\\000\\030future-incoming-response\\003\\000\\004\\002\\003\\002\\001\\013\\004\\000\\012error-cod"
  "e\\003\\000\\006\\001i\\001\\001i\\003\\001k\\011\\001i\\005\\001j\\001\\013\\001\\007\\001@\\002\\007reques"
  "t\\010\\007options\\012\\000\\014\\004\\000\\006handle\\001\\015\\003\\000 wasi:http/outgoing-handler@0.2.0"
  "\\005\\014\\004\\000\\037narratoria:skill/requests@0.1.0\\004\\000\\013\\016\\001\\000\\010requests\\003"
  "\\000\\000\\000/\\011producers\\001\\014processed-by\\001\\015wit-component\\0070.254.2");
