import { unprocessable } from "../../chapters/errors.ts";
import type { PulledBodies, PullTarget } from "../../chapters/ports/source-vendor.ts";
import { jsonOf, objectOf, type Requester } from "./guarded-request.ts";

const DOCUMENT = /\.(?:md|markdown)$/i;
const MOST_DOCUMENTS = 200;
const LARGEST_DOCUMENT = 1024 * 1024;

/**
 * The Markdown documents of a repository at a ref, each a body; nothing while the ref is at the commit that was seen. Of
 * more documents than are taken none is: a part would stand for the whole.
 */
export async function vcsBodies(
  ask: Requester,
  base: { readonly url: string; readonly trusted: boolean },
  target: PullTarget,
  seen: string | undefined,
  signal: AbortSignal,
): Promise<PulledBodies | undefined> {
  const { scope, external_id, auth } = target;
  const secret: Record<string, string> = auth.token === undefined ? {} : { authorization: `Bearer ${auth.token}` };
  const repo = `${base.url.replace(/\/+$/, "")}/repos/${external_id}`;
  const get = async (path: string) => {
    const headers = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };
    return objectOf(
      jsonOf(await ask({ url: new URL(`${repo}${path}`), secret, headers, trusted: base.trusted }, signal)),
    );
  };
  const ref = scope.ref ?? text((await get("")).default_branch, "a default branch");
  const commit = await get(`/commits/${encodeURIComponent(ref)}`);
  const sha = text(commit.sha, "a commit");
  if (sha === seen) return undefined;
  const tree = text(objectOf(objectOf(commit.commit).tree).sha, "a tree");
  const { tree: listed, truncated } = await get(`/git/trees/${tree}?recursive=1`);
  if (truncated === true) throw unprocessable("The repository holds more files than the code host lists at once.");
  const files = (Array.isArray(listed) ? listed : []).map(objectOf).filter((file) => wanted(file, scope.paths));
  if (files.length > MOST_DOCUMENTS)
    throw unprocessable(
      `There are more than ${MOST_DOCUMENTS} documents; name the folders that are meant in scope.paths.`,
    );
  async function* bodies() {
    for (const file of files) {
      const blob = await get(`/git/blobs/${text(file.sha, "a file")}`);
      const bytes = Buffer.from(String(blob.content ?? ""), blob.encoding === "base64" ? "base64" : "utf8");
      if (bytes.length > 0) yield { name: String(file.path), kind: "document", format: "markdown", bytes };
    }
  }
  return { bodies: bodies(), seen: () => sha };
}

function wanted(file: Readonly<Record<string, unknown>>, folders: readonly string[] | undefined): boolean {
  const path = String(file.path ?? "");
  const inside = folders === undefined || folders.some((folder) => path.startsWith(`${folder.replace(/\/+$/, "")}/`));
  return file.type === "blob" && DOCUMENT.test(path) && inside && Number(file.size ?? 0) <= LARGEST_DOCUMENT;
}

function text(value: unknown, what: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw unprocessable(`The code host answered without ${what}.`);
}
