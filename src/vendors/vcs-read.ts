import { AppError, notFound, unprocessable } from "../../chapters/errors.ts";
import type { VcsChange, VcsReader, VcsRef } from "../../chapters/ports/vendors.ts";
import { allRows, asked, nameOf, type VcsClients, VERSION } from "./vcs-client.ts";

const READING = { contents: "read", pull_requests: "read", metadata: "read" } as const;
const MOST = { repositories: 2_000, refs: 500, files: 3_000 } as const;
const PULL = /^(?:#|pull\/|refs\/pull\/)(\d+)(?:\/head)?$/;

/** What of a code host is read: installations, repositories, refs, commits and the files between two of them. */
export function vcsReader(clients: VcsClients, baseUrl: string): VcsReader {
  const web = webOrigin(baseUrl);
  return {
    async installUrl(state, signal) {
      const client = await clients.asApp(signal);
      const { data } = await asked(signal, () => client.request("GET /app", { headers: VERSION }));
      const page = (data as { html_url?: string } | null)?.html_url ?? `${web}/apps`;
      return `${page}/installations/new?state=${encodeURIComponent(state)}`;
    },
    async installation(id, signal) {
      const app = await clients.asApp(signal);
      const at = { installation_id: id, headers: VERSION };
      const { data } = await elseGone(notFound("installation of the app"), () =>
        asked(signal, () => app.request("GET /app/installations/{installation_id}", at)),
      );
      const { account } = data;
      const login = account && "login" in account ? account.login : (account?.name ?? "");
      return {
        installation_id: data.id,
        app_id: data.app_id,
        account: login,
        created_at: Date.parse(data.created_at) / 1000,
        suspended: data.suspended_at !== null && data.suspended_at !== undefined,
      };
    },
    async repositories(installation, signal) {
      const client = await clients.inInstallation(installation, { metadata: "read" }, signal);
      const rows = await allRows(
        async (page) =>
          (await asked(signal, () => client.request("GET /installation/repositories", { ...page, headers: VERSION })))
            .data.repositories,
        MOST.repositories,
      );
      return rows.map((row) => ({
        repository: row.full_name,
        default_branch: row.default_branch,
        private: row.private,
        url: row.html_url,
      }));
    },
    async refs(place, signal) {
      const client = await clients.inRepository(place, READING, signal);
      const at = { ...nameOf(place.repository), headers: VERSION };
      const branches = await allRows(
        async (page) =>
          (await asked(signal, () => client.request("GET /repos/{owner}/{repo}/branches", { ...at, ...page }))).data,
        MOST.refs,
      );
      const tags = await allRows(
        async (page) =>
          (await asked(signal, () => client.request("GET /repos/{owner}/{repo}/tags", { ...at, ...page }))).data,
        MOST.refs,
      );
      const pulls = await allRows(
        async (page) =>
          (
            await asked(signal, () =>
              client.request("GET /repos/{owner}/{repo}/pulls", { ...at, ...page, state: "open" }),
            )
          ).data,
        MOST.refs,
      );
      return [
        ...branches.map(({ name, commit }): VcsRef => ({ kind: "branch", name, sha: commit.sha })),
        ...tags.map(({ name, commit }): VcsRef => ({ kind: "tag", name, sha: commit.sha })),
        ...pulls.map(
          ({ number, title, head, base, html_url }): VcsRef => ({
            kind: "pull",
            name: `pull/${number}`,
            sha: head.sha,
            number,
            title,
            branch: head.ref,
            base: base.ref,
            url: html_url,
          }),
        ),
      ];
    },
    async commit(place, ref, signal) {
      const client = await clients.inRepository(place, READING, signal);
      const at = { ...nameOf(place.repository), headers: VERSION };
      const number = PULL.exec(ref)?.[1];
      if (number !== undefined) {
        const wanted = { ...at, pull_number: Number(number) };
        const { data } = await elseGone(NO_REF, () =>
          asked(signal, () => client.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", wanted)),
        );
        return { sha: data.head.sha, branch: data.head.ref };
      }
      const name = ref.replace(/^refs\/(?:heads|tags)\//, "");
      const { data } = await elseGone(NO_REF, () =>
        asked(signal, () => client.request("GET /repos/{owner}/{repo}/commits/{ref}", { ...at, ref: name })),
      );
      return { sha: data.sha };
    },
    async compare(place, base, head, signal) {
      const client = await clients.inRepository(place, READING, signal);
      const at = { ...nameOf(place.repository), basehead: `${base}...${head}`, headers: VERSION };
      const route = "GET /repos/{owner}/{repo}/compare/{basehead}";
      const { data } = await elseGone(NO_REF, () =>
        asked(signal, () => client.request(route, { ...at, per_page: 1, page: 1 })),
      );
      return {
        base: data.merge_base_commit.sha,
        ahead: data.ahead_by,
        behind: data.behind_by,
        files: (data.files ?? []).slice(0, MOST.files).map(
          (file): VcsChange => ({
            name: file.filename,
            status: file.status,
            additions: file.additions,
            deletions: file.deletions,
          }),
        ),
      };
    },
    repositoryOf(url) {
      const short = /^([\w.-]+\/[\w.-]+)$/.exec(url)?.[1];
      if (short !== undefined) return short.replace(/\.git$/, "");
      const shell = /^(?:ssh:\/\/)?git@([^:/]+)[:/]([\w.-]+\/[\w.-]+)$/.exec(url);
      if (shell) return shell[1] === new URL(web).hostname ? shell[2]?.replace(/\.git$/, "") : undefined;
      if (!URL.canParse(url)) return undefined;
      const { origin, pathname } = new URL(url);
      const path = /^\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(pathname)?.[1];
      return origin === web ? path : undefined;
    },
    async cloneAccess(place, signal) {
      const token = await clients.token(place.installation, place.repository, { contents: "read" }, signal);
      const { owner, repo } = nameOf(place.repository);
      return { url: `${web}/${owner}/${repo}.git`, token };
    },
  };
}

const NO_REF = unprocessable("The repository has no such branch, tag, commit or pull request.");

/** The repository is reached by then: what is not found there is what was asked for. */
async function elseGone<T>(refusal: AppError, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError && error.code === "not_covered" ? refusal : error;
  }
}

/** Where people see what the API tells of: the host's own pages, and its repositories for git. */
function webOrigin(baseUrl: string): string {
  const { origin, hostname } = new URL(baseUrl);
  return hostname === "api.github.com" ? "https://github.com" : origin;
}
