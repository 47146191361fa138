import { afterEach, beforeEach, expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { startVendor, type VendorServer } from "../../helpers/vendors/server.ts";
import { pulled } from "./kit.ts";

let host: VendorServer;
let files: Record<string, string>;
let sha: string;
let truncated: boolean;
const obs = { apiUrl: undefined, appUrl: undefined, clientId: undefined, clientSecret: undefined };
const sources = { obs, vcsApiUrl: "" };

/** The code host's API, as far as a repository's documents go. */
beforeEach(async () => {
  files = { "README.md": "# Shop\nSells things.", "docs/policy.md": "# Policy\nNo refunds.", "src/x.ts": "code" };
  sha = "c1";
  truncated = false;
  const id = (name: string) => Buffer.from(name).toString("hex");
  host = await startVendor(({ path, headers }) => {
    if (headers.authorization !== "Bearer ghp-1") return { status: 401, body: { message: "Bad credentials" } };
    if (headers.accept !== "application/vnd.github+json") return { status: 415 };
    const repo = "/repos/acme/shop";
    if (path === repo) return { body: { default_branch: "main" } };
    if (path === `${repo}/commits/main`) return { body: { sha, commit: { tree: { sha: `t-${sha}` } } } };
    if (path === `${repo}/git/trees/t-${sha}`) {
      const blob = (name: string) => ({ path: name, type: "blob", sha: id(name), size: files[name]?.length });
      return { body: { sha: `t-${sha}`, tree: Object.keys(files).map(blob), truncated } };
    }
    const name = Object.keys(files).find((each) => path === `${repo}/git/blobs/${id(each)}`);
    if (name === undefined) return { status: 404, body: { message: "Not Found" } };
    return { body: { content: Buffer.from(files[name] ?? "").toString("base64"), encoding: "base64" } };
  });
  sources.vcsApiUrl = host.url;
});
afterEach(() => host.close());

bothSurfaces(
  "a repository's documents are pulled at a ref, once a commit, and a changed one stands for the old",
  async (invoke, t) => {
    const input = { kind: "vcs", external_id: "acme/shop", auth: { token: "ghp-1" }, consent: "granted" };
    const { id: sid } = (await invoke("sources_post", input)).body;
    expect((await pulled(invoke, t, sid)).result.evidence).toHaveLength(2);
    const listed = (await invoke("evidence_list", {})).body.evidence;
    expect(listed.map((row: { tags: string[] }) => row.tags[0]).sort()).toEqual(["README.md", "docs/policy.md"]);
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ evidence: [], unchanged: 1 });
    sha = "c2";
    files["docs/policy.md"] = "# Policy\nRefunds within 30 days.";
    expect((await pulled(invoke, t, sid)).result).toMatchObject({ unchanged: 1, evidence: [expect.any(String)] });
    const after = (await invoke("evidence_list", {})).body.evidence;
    const superseded = after.filter((row: { superseded: boolean }) => row.superseded);
    expect(superseded).toMatchObject([{ tags: ["docs/policy.md"] }]);
    // Part of a repository never stands for the whole.
    const before = (await invoke("evidence_list", {})).body.evidence.length;
    sha = "c3";
    for (let n = 1; n <= 200; n++) files[`docs/${n}.md`] = `# ${n}`;
    const many = await pulled(invoke, t, sid);
    expect(many).toMatchObject({ status: "failed", note: expect.stringContaining("scope.paths") });
    truncated = true;
    expect(await pulled(invoke, t, sid)).toMatchObject({ status: "failed", note: expect.stringContaining("lists") });
    expect((await invoke("evidence_list", {})).body.evidence).toHaveLength(before);
    const gone = (await invoke("sources_post", { ...input, external_id: "acme/none" })).body.id;
    expect(await pulled(invoke, t, gone)).toMatchObject({
      status: "failed",
      note: expect.stringContaining("holds nothing"),
    });
  },
  { config: { sources } as never },
);
