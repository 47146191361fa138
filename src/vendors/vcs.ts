import type { Octokit } from "@octokit/core";
import type { VcsVendor } from "../../chapters/ports/vendors.ts";
import type { VcsAppConfig } from "../config.ts";
import { allRows, asked, nameOf, VERSION, vcsClients } from "./vcs-client.ts";
import { vcsReader } from "./vcs-read.ts";

const COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments";
const MOST_COMMENTS = 5_000;
const COMMENTING = { pull_requests: "write" } as const;

/** The code host over its REST API, as the operator's app at one installation, with a token for one repository at a time. */
export function vcsVendor(app: VcsAppConfig, apiUrl: string | undefined): VcsVendor {
  const baseUrl = (apiUrl ?? "https://api.github.com").replace(/\/+$/, "");
  const clients = vcsClients(app, baseUrl);
  return {
    app: { env: "SVC_VCS_APP_ID", set: clients.appSet },
    ...vcsReader(clients, baseUrl),
    async openPullRequest(place, branch, signal) {
      const client = await clients.inRepository(place, COMMENTING, signal);
      const { owner, repo } = nameOf(place.repository);
      const query = { owner, repo, state: "open" as const, head: `${owner}:${branch}`, per_page: 1, headers: VERSION };
      const { data } = await asked(signal, () => client.request("GET /repos/{owner}/{repo}/pulls", query));
      const [first] = data;
      return first && { number: first.number, url: first.html_url };
    },
    async putComment(place, number, { marker, body }, signal) {
      const client = await clients.inRepository(place, COMMENTING, signal);
      const { owner, repo } = nameOf(place.repository);
      const at = { owner, repo, headers: VERSION };
      const own = { marker, appId: String(clients.appId) };
      const known = await ownComment(client, { ...at, issue_number: number }, own, signal);
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
  const rows = await allRows(
    async (page) => (await asked(signal, () => client.request(`GET ${COMMENTS}`, { ...at, ...page }))).data,
    MOST_COMMENTS,
  );
  const own = rows.find(
    (row) => row.body?.includes(marker) && String(row.performed_via_github_app?.id ?? "") === appId,
  );
  return own === undefined ? undefined : Number(own.id);
}
