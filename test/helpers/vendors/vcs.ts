import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { type Seen, startVendor, type VendorAnswer, type VendorServer } from "./server.ts";

/** A comment on a pull request as the code host holds it. `app` is the app that wrote it; null for a person's. */
export interface HostComment {
  readonly id: number;
  readonly repository: string;
  readonly number: number;
  body: string;
  readonly app: number | null;
}

/** The code host on loopback: an app, its installation's tokens, pull requests of branches, and their comments. */
export interface CodeHost extends VendorServer {
  readonly app: { readonly id: string; readonly key: string };
  readonly installation: number;
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
  const asInstallation = ({ headers }: Seen, repository: string) =>
    tokens
      .get(String(headers.authorization ?? "").replace(/^(token|bearer) /i, ""))
      ?.repositories.includes(repository.split("/")[1] ?? "") === true;

  const view = (comment: HostComment) => ({
    id: comment.id,
    node_id: `IC_${comment.id}`,
    html_url: `https://host.example/${comment.repository}/pull/${comment.number}#issuecomment-${comment.id}`,
    body: comment.body,
    user: { login: comment.app === null ? "ann" : "svc[bot]", type: comment.app === null ? "User" : "Bot" },
    performed_via_github_app: comment.app === null ? null : { id: comment.app },
  });

  const server = await startVendor((seen): VendorAnswer => {
    const { method, path, query, headers, body } = seen;
    if (!String(headers.accept).startsWith("application/vnd.github"))
      return { status: 415, body: { message: "Accept" } };
    const minted = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path);
    if (minted && method === "POST") {
      if (!asApp(seen)) return { status: 401, body: { message: "A JSON web token could not be decoded" } };
      if (Number(minted[1]) !== installation) return { status: 404, body: { message: "Not Found" } };
      const { repositories: wanted = [], permissions = {} } = JSON.parse(body || "{}");
      const covered = repositories.map((name) => name.split("/")[1]);
      if (!wanted.every((name: string) => covered.includes(name)))
        return { status: 422, body: { message: "There is at least one repository that does not exist" } };
      const token = `ghs_${tokens.size + 1}`;
      tokens.set(token, { repositories: wanted, permissions });
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return { status: 201, body: { token, expires_at, permissions, repository_selection: "selected" } };
    }
    const [, repository = "", rest = ""] = /^\/repos\/([^/]+\/[^/]+)\/(.*)$/.exec(path) ?? [];
    if (!asInstallation(seen, repository)) return { status: 404, body: { message: "Not Found" } };
    if (headers["x-github-api-version"] !== "2022-11-28") return { status: 400, body: { message: "version" } };
    if (rest === "pulls" && method === "GET") {
      const found = pulls.filter(
        (pull) =>
          pull.repository === repository &&
          pull.state === query.get("state") &&
          `${repository.split("/")[0]}:${pull.branch}` === query.get("head"),
      );
      const answer = found.map(({ number, state, branch }) => ({
        number,
        state,
        html_url: `https://host.example/${repository}/pull/${number}`,
        head: { ref: branch },
      }));
      return { body: answer.slice(0, Number(query.get("per_page") ?? 30)) };
    }
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
  return { ...server, app, installation, repositories, pulls, comments, tokens };
}
