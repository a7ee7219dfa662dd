// What a component imports, as far as the sources of a package use it: services of the host, and WASI. The files in `wit`
// say what each service does, and its limits. An error of the host is thrown: see `HostError`.

/** An error of the host. `payload` is a sentence for people, or says what kind of error it is. */
interface HostError extends Error {
  payload: any;
}

// Grant `store`.
declare module "narratoria:host/store@0.1.0" {
  export function get(key: string): string | undefined;
  export function set(key: string, value: string): void;
  function remove(key: string): void;
  export { remove as delete };
  export function list(prefix: string): string[];
}

// Grant `memory`.
declare module "narratoria:host/memory@0.1.0" {
  export interface Entry {
    text: string;
    tags: string[];
  }
  export function remember(text: string, tags: string[]): void;
  export function recall(query: string, tags: string[], max: number): Entry[];
}

// Grant `llm`.
declare module "narratoria:host/llm@0.1.0" {
  export interface Request {
    system?: string;
    prompt: string;
    maxTokens: number;
    temperature: number;
    aloud: boolean;
  }
  export interface Reply {
    text: string;
    complete: boolean;
  }
  export function generate(request: Request): Reply;
}

// Grant `llm`.
declare module "narratoria:host/meaning@0.1.0" {
  export function compare(text: string, others: string[]): Float32Array;
}

declare module "wasi:cli/stdin@0.2.0" {
  export function getStdin(): import("wasi:io/streams@0.2.0").InputStream;
}

declare module "wasi:cli/stdout@0.2.0" {
  export function getStdout(): import("wasi:io/streams@0.2.0").OutputStream;
}

declare module "wasi:io/streams@0.2.0" {
  export interface InputStream {
    blockingRead(most: bigint): Uint8Array;
  }
  export interface OutputStream {
    blockingWriteAndFlush(bytes: Uint8Array): void;
    [Symbol.dispose](): void;
  }
}

// Grant `assets`.
declare module "wasi:filesystem/preopens@0.2.0" {
  interface Descriptor {
    openAt(
      pathFlags: {},
      path: string,
      openFlags: { create?: boolean; truncate?: boolean },
      flags: { read?: boolean; write?: boolean },
    ): Descriptor;
    read(most: bigint, from: bigint): [Uint8Array, boolean];
    write(bytes: Uint8Array, from: bigint): bigint;
  }
  export function getDirectories(): [Descriptor, string][];
}

// Grant `http`.
declare module "wasi:http/types@0.2.0" {
  import { InputStream, OutputStream } from "wasi:io/streams@0.2.0";

  export class Fields {
    append(name: string, value: Uint8Array): void;
    entries(): [string, Uint8Array][];
  }
  export class OutgoingBody {
    write(): OutputStream;
    static finish(body: OutgoingBody, trailers: Fields | undefined): void;
  }
  export class OutgoingRequest {
    constructor(headers: Fields);
    setMethod(method: { tag: string }): void;
    setScheme(scheme: { tag: string }): void;
    setAuthority(authority: string): void;
    setPathWithQuery(path: string): void;
    body(): OutgoingBody;
  }
  export interface IncomingResponse {
    status(): number;
    headers(): Fields;
    consume(): { stream(): InputStream };
  }
  export type Arrived = { tag: "ok"; val: IncomingResponse } | { tag: "err"; val: { tag: string } };
  export interface FutureIncomingResponse {
    subscribe(): { block(): void };
    get(): { tag: "ok" | "err"; val: Arrived };
  }
}

declare module "wasi:http/outgoing-handler@0.2.0" {
  import { FutureIncomingResponse, OutgoingRequest } from "wasi:http/types@0.2.0";
  export function handle(request: OutgoingRequest, options: undefined): FutureIncomingResponse;
}
