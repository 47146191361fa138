import type { Octokit } from "@octokit/core";
import { AppError } from "../../chapters/errors.ts";
import type { VcsPlace, VcsVendor } from "../../chapters/vendors.ts";
import type { VcsAppConfig } from "../config.ts";
import { lazy } from "../lazy.ts";

const TIMEOUT_MS = 20_000;
const PAGE = 100;
const COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments";
const VERSION = { "x-github-api-version": "2022-11-28" };

/** The code host over its REST API, as the operator's app at one installation, with a token for one repository at a time. */
export function vcsVendor(app: VcsAppConfig, apiUrl: string | undefined): VcsVendor {
  const { id: appId, key: privateKey } = app;
  const baseUrl = (apiUrl ?? "https://api.github.com").replace(/\/+$/, "");
  const kit = lazy(async () => ({ ...(await import("@octokit/core")), ...(await import("@octokit/auth-app")) }));

  /** A client that may write to this repository's pull requests and nothing else. */
  const clientOf = async ({ installation, repository }: VcsPlace, signal: AbortSignal): Promise<Octokit> => {
    if (appId === undefined || privateKey === undefined)
      throw new AppError(
        "unprocessable",
        "The operator has set no app: SVC_VCS_APP_ID and SVC_VCS_APP_KEY are needed.",
      );
    const { Octokit, createAppAuth } = await kit.get();
    const options = { baseUrl, log: SILENT, request: { fetch: bounded(signal) } };
    const request = new Octokit(options).request;
    const auth = createAppAuth({ appId, privateKey, request, log: SILENT });
    const repositoryNames = [nameOf(repository).repo];
    const permissions = { pull_requests: "write" as const };
    const { token } = await asked(signal, () =>
      auth({ type: "installation", installationId: installation, repositoryNames, permissions }),
    );
    return new Octokit({ ...options, auth: token });
  };

  return {
    app: { env: "SVC_VCS_APP_ID", set: appId !== undefined && privateKey !== undefined },
    async openPullRequest(place, branch, signal) {
      const client = await clientOf(place, signal);
      const { owner, repo } = nameOf(place.repository);
      const query = { owner, repo, state: "open" as const, head: `${owner}:${branch}`, per_page: 1, headers: VERSION };
      const { data } = await asked(signal, () => client.request("GET /repos/{owner}/{repo}/pulls", query));
      const [first] = data;
      return first && { number: first.number, url: first.html_url };
    },
    async putComment(place, number, { marker, body }, signal) {
      const client = await clientOf(place, signal);
      const { owner, repo } = nameOf(place.repository);
      const at = { owner, repo, headers: VERSION };
      const known = await ownComment(client, { ...at, issue_number: number }, { marker, appId: String(appId) }, signal);
      const create = () => client.request(`POST ${COMMENTS}`, { ...at, issue_number: number, body });
      const update = (comment_id: number) =>
        client.request("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", { ...at, comment_id, body });
      const { data } = known === undefined ? await asked(signal, create) : await asked(signal, () => update(known));
      return { id: String(data.id), url: data.html_url, action: known === undefined ? "created" : "updated" };
    },
  };
}

/** The oldest comment with the marker that this app wrote: somebody else's with the same text is left alone. */
async function ownComment(
  client: Octokit,
  at: {
    readonly owner: string;
    readonly repo: string;
    readonly issue_number: number;
    readonly headers: typeof VERSION;
  },
  { marker, appId }: { readonly marker: string; readonly appId: string },
  signal: AbortSignal,
): Promise<number | undefined> {
  for (let page = 1; ; page++) {
    const { data } = await asked(signal, () => client.request(`GET ${COMMENTS}`, { ...at, per_page: PAGE, page }));
    const own = data.find(
      (row) => row.body?.includes(marker) && String(row.performed_via_github_app?.id ?? "") === appId,
    );
    if (own) return Number(own.id);
    if (data.length < PAGE) return undefined;
  }
}

function nameOf(repository: string): { readonly owner: string; readonly repo: string } {
  const [owner, repo, ...rest] = repository.split("/");
  if (!owner || !repo || rest.length > 0) throw notCovered();
  return { owner, repo };
}

function bounded(signal: AbortSignal): typeof fetch {
  return (input, init) => fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
}

/** Nothing of the client's own log: it writes to the console, and warnings may quote what was sent. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

async function asked<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    throw refusal(error);
  }
}

/** Told by status and headers: nothing of the host's text reaches a reason. */
function refusal(error: unknown): AppError {
  const { status, response } = Object(error) as {
    status?: number;
    response?: { headers?: Readonly<Record<string, string | number | undefined>> };
  };
  if (error instanceof AppError) return error;
  const headers = response?.headers ?? {};
  // A status of 500 without an answer is the client's own: the host was not reached.
  if (status === undefined || response === undefined || status >= 500)
    return new AppError("unavailable", "The code host cannot be reached now; try again.", { retryAfter: 10 });
  if (
    status === 429 ||
    (status === 403 && (headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0"))
  )
    return new AppError("rate_limited", "The code host takes no more calls now; try again later.", {
      retryAfter: waitOf(headers),
    });
  if (status === 404 || status === 422) return notCovered();
  if (status === 401 || status === 403)
    return new AppError(
      "unprocessable",
      "The code host refused the app: its key is wrong, or it lacks the permission to write to pull requests.",
    );
  return new AppError("unprocessable", `The code host refused the request with HTTP ${status}.`);
}

function waitOf(headers: Readonly<Record<string, string | number | undefined>>): number {
  const after = Number(headers["retry-after"]);
  if (Number.isFinite(after)) return Math.max(1, after);
  const reset = Number(headers["x-ratelimit-reset"]);
  return Number.isFinite(reset) ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : 60;
}

function notCovered(): AppError {
  return new AppError("not_covered", "The code host's app does not reach this repository; add it to the installation.");
}
