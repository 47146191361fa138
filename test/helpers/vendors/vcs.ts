import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import type { TestRepo } from "../git.ts";
import { type Seen, startVendor, type VendorAnswer, type VendorServer } from "./server.ts";
import { gitAnswer, repositoryAnswer, shaOf } from "./vcs-git.ts";

/** A comment on a pull request as the code host holds it. `app` is the app that wrote it; null for a person's. */
export interface HostComment {
  readonly id: number;
  readonly repository: string;
  readonly number: number;
  body: string;
  readonly app: number | null;
}

/** The code host on loopback: an app, its installation's tokens, real repositories, pull requests of branches, and their comments. */
export interface CodeHost extends VendorServer {
  readonly app: { readonly id: string; readonly key: string };
  readonly installation: number;
  /** When the app was installed, unix seconds. */
  installedAt: number;
  /** What stands behind a covered repository's name, where a test needs its content. */
  readonly repos: Map<string, TestRepo>;
  /** Repositories that the installation covers. */
  readonly repositories: string[];
  readonly pulls: {
    readonly repository: string;
    readonly number: number;
    readonly branch: string;
    state: "open" | "closed";
  }[];
  readonly comments: HostComment[];
  /** Tokens that were given out, with the repositories and the permissions each has. */
  readonly tokens: Map<string, { readonly repositories: readonly string[]; readonly permissions: object }>;
}

/** Starts it on a free loopback port. */
export async function startCodeHost(): Promise<CodeHost> {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const app = { id: "4711", key };
  const installation = 957387;
  const repositories = ["acme/bot"];
  const pulls: CodeHost["pulls"] = [];
  const comments: HostComment[] = [];
  const tokens: CodeHost["tokens"] = new Map();
  const repos: CodeHost["repos"] = new Map();
  const state = { installedAt: Date.now() / 1000 };
  const publicKey = createPublicKey(pair.publicKey.export({ type: "spki", format: "pem" }));

  const asApp = ({ headers }: Seen) => {
    const [head = "", payload = "", signature = ""] = String(headers.authorization ?? "")
      .replace(/^bearer /i, "")
      .split(".");
    if (!verify("RSA-SHA256", Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, "base64url")))
      return false;
    const { iss, exp, iat } = JSON.parse(Buffer.from(payload, "base64url").toString());
    return String(iss) === app.id && exp - iat <= 660;
  };
  const tokenOf = ({ headers }: Seen) => {
    const given = String(headers.authorization ?? "");
    const basic = /^basic (.+)$/i.exec(given)?.[1];
    const secret = basic === undefined ? undefined : Buffer.from(basic, "base64").toString().split(":")[1];
    return tokens.get(secret ?? given.replace(/^(token|bearer) /i, ""));
  };
  const asInstallation = (seen: Seen, repository: string) =>
    tokenOf(seen)?.repositories.includes(repository.split("/")[1] ?? "") === true && repositories.includes(repository);

  const view = (comment: HostComment) => ({
    id: comment.id,
    node_id: `IC_${comment.id}`,
    html_url: `https://host.example/${comment.repository}/pull/${comment.number}#issuecomment-${comment.id}`,
    body: comment.body,
    user: { login: comment.app === null ? "ann" : "svc[bot]", type: comment.app === null ? "User" : "Bot" },
    performed_via_github_app: comment.app === null ? null : { id: comment.app },
  });

  const pullView = ({ repository, number, state: is, branch }: CodeHost["pulls"][number]) => {
    const repo = repos.get(repository);
    return {
      number,
      state: is,
      title: `Pull ${number}`,
      html_url: `https://host.example/${repository}/pull/${number}`,
      head: { ref: branch, sha: (repo && shaOf(repo, branch)) ?? "0".repeat(40) },
      base: { ref: "main" },
    };
  };

  const server = await startVendor((seen): VendorAnswer | Promise<VendorAnswer> => {
    const { method, path, query, headers, body } = seen;
    const [, gitName = "", gitPath = ""] = /^\/([^/]+\/[^/]+)\.git(\/.*)$/.exec(path) ?? [];
    if (gitPath !== "") {
      const repo = repos.get(gitName);
      if (!repo || !asInstallation(seen, gitName))
        return { status: 401, headers: { "www-authenticate": "Basic" }, body: "" };
      return gitAnswer(repo, gitPath, seen);
    }
    if (!String(headers.accept).startsWith("application/vnd.github"))
      return { status: 415, body: { message: "Accept" } };
    const minted = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path);
    if (minted && method === "POST") {
      if (!asApp(seen)) return { status: 401, body: { message: "A JSON web token could not be decoded" } };
      if (Number(minted[1]) !== installation) return { status: 404, body: { message: "Not Found" } };
      const covered = repositories.map((name) => name.split("/")[1] ?? "");
      const { repositories: wanted = covered, permissions = {} } = JSON.parse(body || "{}");
      if (!wanted.every((name: string) => covered.includes(name)))
        return { status: 422, body: { message: "There is at least one repository that does not exist" } };
      const token = `ghs_${tokens.size + 1}`;
      tokens.set(token, { repositories: wanted, permissions });
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return { status: 201, body: { token, expires_at, permissions, repository_selection: "selected" } };
    }
    if (path === "/app" || path.startsWith("/app/installations/")) {
      if (!asApp(seen)) return { status: 401, body: { message: "A JSON web token could not be decoded" } };
      if (path === "/app")
        return { body: { id: Number(app.id), slug: "svc", html_url: "https://host.example/apps/svc" } };
      if (path !== `/app/installations/${installation}`) return { status: 404, body: { message: "Not Found" } };
      const created_at = new Date(state.installedAt * 1000).toISOString();
      const account = { login: "acme", id: 1, type: "Organization" };
      return { body: { id: installation, app_id: Number(app.id), account, created_at, suspended_at: null } };
    }
    if (path === "/installation/repositories") {
      const covered = tokenOf(seen)?.repositories;
      if (!covered) return { status: 401, body: { message: "Bad credentials" } };
      const rows = repositories.map((full_name) => ({
        full_name,
        default_branch: "main",
        private: true,
        html_url: `https://host.example/${full_name}`,
      }));
      const at = Number(query.get("page") ?? 1) - 1;
      const size = Number(query.get("per_page") ?? 30);
      return { body: { total_count: rows.length, repositories: rows.slice(at * size, (at + 1) * size) } };
    }
    const [, repository = "", rest = ""] = /^\/repos\/([^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
    if (!asInstallation(seen, repository)) return { status: 404, body: { message: "Not Found" } };
    if (headers["x-github-api-version"] !== "2022-11-28") return { status: 400, body: { message: "version" } };
    if (rest === "pulls" && method === "GET") {
      const head = query.get("head");
      const found = pulls.filter(
        (pull) =>
          pull.repository === repository &&
          pull.state === query.get("state") &&
          (head === null || `${repository.split("/")[0]}:${pull.branch}` === head),
      );
      const at = Number(query.get("page") ?? 1) - 1;
      const size = Number(query.get("per_page") ?? 30);
      return { body: found.slice(at * size, (at + 1) * size).map(pullView) };
    }
    const wanted = /^pulls\/(\d+)$/.exec(rest)?.[1];
    const pull = pulls.find((row) => row.repository === repository && row.number === Number(wanted));
    if (pull && method === "GET") return { body: pullView(pull) };
    const repo = repos.get(repository);
    const answered = repo && method === "GET" ? repositoryAnswer(repo, rest) : undefined;
    if (answered) return answered;
    const issue = /^issues\/(\d+)\/comments$/.exec(rest)?.[1];
    if (issue && method === "GET") {
      const size = Number(query.get("per_page") ?? 30);
      const page = Number(query.get("page") ?? 1);
      const of = comments.filter((row) => row.repository === repository && row.number === Number(issue));
      return { body: of.slice((page - 1) * size, page * size).map(view) };
    }
    const text = body === "" ? undefined : (JSON.parse(body) as { body?: string }).body;
    if (issue && method === "POST") {
      if (!text || text.length > 65_536) return { status: 422, body: { message: "Validation Failed" } };
      const made = { id: 9000 + comments.length, repository, number: Number(issue), body: text, app: Number(app.id) };
      comments.push(made);
      return { status: 201, body: view(made) };
    }
    const comment = /^issues\/comments\/(\d+)$/.exec(rest)?.[1];
    const known = comments.find((row) => row.id === Number(comment) && row.repository === repository);
    if (known && method === "PATCH" && text) {
      known.body = text;
      return { body: view(known) };
    }
    return { status: 404, body: { message: "Not Found" } };
  });
  return Object.assign(state, { ...server, app, installation, repositories, repos, pulls, comments, tokens });
}
