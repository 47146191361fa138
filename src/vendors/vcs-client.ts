import type { Octokit } from "@octokit/core";
import { AppError, unavailable, unprocessable } from "../../chapters/errors.ts";
import type { InstalledRepository } from "../../chapters/ports/vendors.ts";
import type { VcsAppConfig } from "../config.ts";
import { lazy } from "../service/lazy.ts";
import { boundedFetch, SILENT, vendorCall } from "./client.ts";

const TIMEOUT_MS = 20_000;
const PAGE = 100;
/** The version of the host's API that this service speaks. */
export const VERSION = { "x-github-api-version": "2022-11-28" };

/** What a token may do at one installation; it may do nothing else. */
export type VcsPermissions = Readonly<Record<string, "read" | "write">>;

/** Clients of the code host: as the app itself, or as one installation with a token of its own. Refusals as `VcsVendor` says. */
export interface VcsClients {
  readonly appSet: boolean;
  readonly appId: string | undefined;
  asApp(signal: AbortSignal): Promise<Octokit>;
  /** A token for one repository of the installation, or for all of them; it ends within the hour. */
  token(
    installation: number,
    repository: string | undefined,
    permissions: VcsPermissions,
    signal: AbortSignal,
  ): Promise<string>;
  /** A client that may do this in one repository and nothing else. */
  inRepository(place: InstalledRepository, permissions: VcsPermissions, signal: AbortSignal): Promise<Octokit>;
  /** A client that may do this in every repository of the installation. */
  inInstallation(installation: number, permissions: VcsPermissions, signal: AbortSignal): Promise<Octokit>;
}

/** Clients over the host's REST API at an address. */
export function vcsClients({ id: appId, key: privateKey }: VcsAppConfig, baseUrl: string): VcsClients {
  const kit = lazy(async () => ({ ...(await import("@octokit/core")), ...(await import("@octokit/auth-app")) }));
  const opened = async (signal: AbortSignal) => {
    if (appId === undefined || privateKey === undefined)
      throw unprocessable("The operator has set no app: SVC_VCS_APP_ID and SVC_VCS_APP_KEY are needed.");
    const { Octokit, createAppAuth } = await kit.get();
    const options = { baseUrl, log: SILENT, request: { fetch: boundedFetch(signal, TIMEOUT_MS) } };
    const auth = createAppAuth({ appId, privateKey, request: new Octokit(options).request, log: SILENT });
    const client = (token: string) => new Octokit({ ...options, auth: token });
    return { auth, client };
  };
  const clients: VcsClients = {
    appSet: appId !== undefined && privateKey !== undefined,
    appId,
    async asApp(signal) {
      const { auth, client } = await opened(signal);
      const { token } = await asked(signal, () => auth({ type: "app" }));
      return client(token);
    },
    async token(installationId, repository, permissions, signal) {
      const { auth } = await opened(signal);
      const repositoryNames = repository === undefined ? undefined : [nameOf(repository).repo];
      const wanted = { type: "installation", installationId, permissions: { ...permissions } } as const;
      const { token } = await asked(signal, () => auth({ ...wanted, ...(repositoryNames ? { repositoryNames } : {}) }));
      return token;
    },
    async inRepository({ installation, repository }, permissions, signal) {
      const token = await clients.token(installation, repository, permissions, signal);
      return (await opened(signal)).client(token);
    },
    async inInstallation(installation, permissions, signal) {
      const token = await clients.token(installation, undefined, permissions, signal);
      return (await opened(signal)).client(token);
    },
  };
  return clients;
}

/** Every row of a paged list of the host; no more than `most`. */
export async function allRows<T>(
  page: (at: { per_page: number; page: number }) => Promise<readonly T[]>,
  most: number,
) {
  const rows: T[] = [];
  for (let n = 1; rows.length < most; n++) {
    const found = await page({ per_page: PAGE, page: n });
    rows.push(...found);
    if (found.length < PAGE) break;
  }
  return rows.slice(0, most);
}

/** A repository's owner and name; what is no `owner/name` is not covered. */
export function nameOf(repository: string): { readonly owner: string; readonly repo: string } {
  const [owner, repo, ...rest] = repository.split("/");
  if (!owner || !repo || rest.length > 0) throw notCovered();
  return { owner, repo };
}

/** Asks the host; what it refuses becomes an AppError with nothing of the host's text. */
export const asked = vendorCall(refusal);

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
    return unavailable("The code host cannot be reached now; try again.", { retryAfter: 10 });
  if (
    status === 429 ||
    (status === 403 && (headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0"))
  )
    return new AppError("rate_limited", "The code host takes no more calls now; try again later.", {
      retryAfter: waitOf(headers),
    });
  if (status === 404 || status === 422) return notCovered();
  if (status === 401 || status === 403)
    return unprocessable("The code host refused the app: its key is wrong, or it lacks a permission that this needs.");
  return unprocessable(`The code host refused the request with HTTP ${status}.`);
}

function waitOf(headers: Readonly<Record<string, string | number | undefined>>): number {
  const after = Number(headers["retry-after"]);
  if (Number.isFinite(after)) return Math.max(1, after);
  const reset = Number(headers["x-ratelimit-reset"]);
  return Number.isFinite(reset) ? Math.max(1, Math.ceil(reset - Date.now() / 1000)) : 60;
}

/** The refusal for a repository that the installation does not reach. */
export function notCovered(): AppError {
  return new AppError("not_covered", "The code host's app does not reach this repository; add it to the installation.");
}
