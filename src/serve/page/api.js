// Asks the server. All addresses of the API stand here.

export class ApiError extends Error {
  /** `status` is 0 if there was no answer. */
  constructor(status, { kind = "no-answer", message = "The program does not answer.", hints = [], notes = [] } = {}) {
    super(message);
    this.status = status;
    this.kind = kind;
    this.hints = hints;
    /** What the importer noted before it refused a file. */
    this.notes = notes;
  }

  /** The message with its ways out. */
  get text() {
    return [this.message, ...this.hints].join(" — ");
  }
}

let onNoSession = () => {};

/** Calls `listener` when the server does not know this browser any more. */
export function whenSessionEnds(listener) {
  onNoSession = listener;
}

/** The server has answered that it does not know this browser. */
export function endSession() {
  onNoSession();
}

async function ask(method, path, { body, bytes, query, isLogin = false } = {}) {
  const options = { method, cache: "no-store", headers: {} };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  if (bytes !== undefined) {
    options.headers["Content-Type"] = "application/octet-stream";
    options.body = bytes;
  }
  let response;
  try {
    response = await fetch(path + queryText(query), options);
  } catch {
    throw new ApiError(0);
  }
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  if (response.status === 401 && !isLogin) onNoSession();
  throw new ApiError(response.status, answer?.error);
}

function queryText(query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

const storyPath = (story) => `/api/stories/${encodeURIComponent(story)}`;

/** `key` is `{token}`, `{password}` or `{link}`; the answer to a link names its story. */
export const openSession = (key) => ask("POST", "/api/session", { body: key, isLogin: true });
export const leaveSession = () => ask("DELETE", "/api/session");
export const about = () => ask("GET", "/api/about");
export const stories = () => ask("GET", "/api/stories");
export const campaigns = () => ask("GET", "/api/campaigns");
export const skills = () => ask("GET", "/api/skills");
export const createStory = (body) => ask("POST", "/api/stories", { body });
export const importFile = (file) =>
  ask("POST", "/api/imports", { bytes: file, query: { file: file.name } });
export const sendLine = (story, line) => ask("POST", `${storyPath(story)}/lines`, { body: line });
export const decide = (story, body) => ask("POST", `${storyPath(story)}/decisions`, { body });
export const setReviewing = (story, on) => ask("PUT", `${storyPath(story)}/reviewing`, { body: { on } });
export const review = (story, command) => ask("POST", `${storyPath(story)}/reviews`, { body: { command } });
export const stop = (story) => ask("POST", `${storyPath(story)}/stop`, { body: {} });
export const linksOf = (story) => ask("GET", `${storyPath(story)}/links`);
export const addLink = (story) => ask("POST", `${storyPath(story)}/links`);
export const removeLink = (story, id) => ask("DELETE", `${storyPath(story)}/links/${id}`);
export const documentOf = (story, about, query) =>
  ask("GET", `${storyPath(story)}/documents/${about}`, { query });

export const coverAddress = (campaign) => `/api/campaigns/${encodeURIComponent(campaign)}/cover`;
export const eventsAddress = (story) => `${storyPath(story)}/events`;
export const assetAddress = (story, id) => `${storyPath(story)}/assets/${encodeURIComponent(id)}`;
export const exportAddress = (story, format) => `${storyPath(story)}/export?format=${format}`;
