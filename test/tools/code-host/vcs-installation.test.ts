import { afterAll, beforeAll, expect } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { bothSurfaces, type Invoke } from "../../helpers/app.ts";
import { type TestRepo, testRepo } from "../../helpers/git.ts";
import { type CodeHost, startCodeHost } from "../../helpers/vendors/vcs.ts";
import { endOf } from "../runs/kit.ts";

let host: CodeHost;
let repo: TestRepo;
beforeAll(async () => {
  host = await startCodeHost();
  repo = testRepo({ "agent.mjs": "process.stdin.resume();\n", "tools/list.ts": "export const a = 1;\n" });
  host.repos.set("acme/bot", repo);
});
afterAll(async () => {
  await host.close();
  repo.close();
});

const withHost = {
  get config() {
    return { vcsApp: host.app, sources: { ...readConfig({}).sources, vcsApiUrl: host.url } };
  },
};

/** Installs the app for the org: begun here, installed at the host, come back from. */
async function install(invoke: Invoke, token: string) {
  const begun = await invoke("vcs_installations_post", {}, token);
  host.installedAt = Date.now() / 1000;
  return invoke("vcs_installation_post", { installation_id: host.installation, state: begun.body.state }, token);
}

bothSurfaces(
  "an installation is begun, shown to be the org's, recorded once and read anew",
  async (invoke, { app, org }) => {
    expect((await invoke("vcs_installation_get", {}, org.read)).body).toMatchObject({
      app: { set: true },
      installation: null,
    });
    expect((await invoke("vcs_repositories")).status).toBe(409);
    const begun = await invoke("vcs_installations_post", { by: "ann" }, org.push);
    expect(begun).toMatchObject({ status: 201 });
    expect(begun.body.install_url).toBe(
      `https://host.example/apps/svc/installations/new?state=${encodeURIComponent(begun.body.state)}`,
    );
    const args = { installation_id: host.installation };
    expect((await invoke("vcs_installation_post", args, org.push)).body.fields[0].path).toBe("state");
    expect((await invoke("vcs_installation_post", { ...args, state: "made-up" }, org.push)).status).toBe(400);

    // Somebody else's: it was there before this org asked.
    host.installedAt = Date.now() / 1000 - 10_000;
    expect(await invoke("vcs_installation_post", { ...args, state: begun.body.state }, org.push)).toMatchObject({
      status: 403,
    });
    const again = (await invoke("vcs_installations_post", {}, org.push)).body.state;
    expect((await invoke("vcs_installation_post", { installation_id: 1, state: again }, org.push)).status).toBe(404);
    expect((await invoke("vcs_installation_get")).body.installation).toBeNull();

    const done = await install(invoke, org.push);
    expect(done).toMatchObject({
      status: 200,
      body: { replaced: false, installation: { installation_id: host.installation, app_id: 4711, account: "acme" } },
    });
    const { state } = begun.body;
    expect((await invoke("vcs_installation_post", { ...args, installation_id: 2, state }, org.push)).status).toBe(400);
    expect((await invoke("vcs_installation_get", {}, org.read)).body.installation.repositories).toBe(
      host.repositories.length,
    );
    expect((await invoke("vcs_repositories", { limit: 1 }, org.read)).body.repositories).toEqual([
      { repository: "acme/bot", default_branch: "main", private: true, url: "https://host.example/acme/bot" },
    ]);

    const other = await app.org("other");
    const foreign = await install((tool, args) => invoke(tool, { orgtag: "other", ...args }, other.push), other.push);
    expect(foreign.status).toBe(409);
    expect(JSON.stringify(foreign.body)).not.toContain("acme");

    host.repositories.push("acme/second");
    expect((await invoke("vcs_installation_post", {}, org.push)).body).toMatchObject({
      replaced: false,
      installation: { repositories: 2 },
    });
    host.repositories.pop();
    host.limit(1, 7);
    expect(await invoke("vcs_repositories")).toMatchObject({ status: 429, body: { retry_after: 7 } });
  },
  withHost,
);

bothSurfaces(
  "refs are listed with the versions made of them, and what no version was made from is told",
  async (invoke, { org }) => {
    const branch = "fix";
    const base = repo.git("rev-parse", "main");
    expect((await invoke("vcs_refs", { repository: "acme/bot" })).status).toBe(409);
    await install(invoke, org.push);
    expect(await invoke("vcs_refs", { repository: "acme/none" })).toMatchObject({
      status: 409,
      body: { error: "not_covered" },
    });
    expect((await invoke("vcs_refs", { repository: "nope" })).status).toBe(400);
    expect((await invoke("vcs_unrecorded")).body).toMatchObject({ repositories: [], refs: [] });

    const made = await invoke("agents_post", {
      kind: "repository",
      name: "bot",
      url: "acme/bot",
      ref: "main",
      run: ["node", "agent.mjs"],
    });
    expect(made).toMatchObject({ status: 201, body: { job: null } });
    expect(made.body.agent.versions[0]).toMatchObject({ ref: "main", sha: base, origin: { repo: "acme/bot" } });
    const aid = made.body.agent.id;

    const head = repo.commit({ "tools/list.ts": "export const a = 2;\n", "docs/a.md": "hi\n" }, branch, base);
    repo.git("tag", "v-1", base);
    const number = 100 + host.pulls.length;
    host.pulls.push({ repository: "acme/bot", number, branch, state: "open" });
    const { refs } = (await invoke("vcs_refs", { repository: "acme/bot", limit: 500 }, org.read)).body;
    expect(refs).toContainEqual({ kind: "branch", name: "main", sha: base, versions: [{ agent: aid, version: "1" }] });
    expect(refs).toContainEqual(expect.objectContaining({ kind: "pull", number, branch, sha: head, versions: [] }));
    const tags = (await invoke("vcs_refs", { repository: "acme/bot", kind: "tag", limit: 1 })).body.refs;
    expect(tags).toMatchObject([{ kind: "tag" }]);

    const unrecorded = (await invoke("vcs_unrecorded", { repository: "acme/bot", limit: 500 }, org.read)).body.refs;
    const mine = unrecorded.filter(
      (row: { branch?: string; name: string }) => row.branch === branch || row.name === branch,
    );
    expect(mine).toMatchObject([
      { kind: "pull", number, sha: head, commits: 1, since: { agent: aid, version: "1", sha: base } },
    ]);

    const version = await invoke("agent_versions_post", { aid, ref: `pull/${number}` }, org.push);
    expect(version).toMatchObject({ status: 201, body: { version: { version: head.slice(0, 12), sha: head } } });
    expect(version.body.version.origin).toEqual({ kind: "branch", repo: "acme/bot", ref: branch, sha: head });
    const after = (await invoke("vcs_unrecorded", { limit: 500 })).body.refs;
    expect(after.some((row: { sha: string }) => row.sha === head)).toBe(false);
    expect((await invoke("agent_versions_post", { aid, ref: "no-such-branch" })).status).toBe(422);

    const path = { aid, version: branch };
    expect((await invoke("agent_version_changes_get", path, org.read)).body.changes).not.toHaveProperty("files");
    const read = await invoke("agent_version_changes_post", path, org.push);
    expect(read).toMatchObject({
      status: 200,
      body: {
        version: head.slice(0, 12),
        same: false,
        changes: {
          base,
          head,
          files: 2,
          names: ["docs/a.md", "tools/list.ts"],
          areas: { tools: ["tools/list.ts"], other: ["docs/a.md"], handlers: [], skills: [], registration: [] },
          by_area: { tools: 1, other: 1, handlers: 0, skills: 0, registration: 0 },
          statuses: { added: 1, modified: 1 },
          additions: 2,
          deletions: 1,
          reader: "code_host",
          tier: "deterministic",
        },
      },
    });
    const asked = host.seen.length;
    expect((await invoke("agent_version_changes_post", { aid, version: head.slice(0, 8) })).body).toMatchObject({
      same: true,
      changes: read.body.changes,
    });
    expect(host.seen.length).toBe(asked);
    expect((await invoke("agent_version_changes_get", { aid, version: head }, org.read)).body.changes).toEqual(
      read.body.changes,
    );
    expect((await invoke("agent_version_changes_get", { aid, version: "nothing" })).status).toBe(404);

    const web = (await invoke("agents_post", { kind: "command", name: "c", command: "x" })).body.agent.id;
    expect((await invoke("agent_version_changes_get", { aid: web, version: "1" })).body.changes.line).toContain(
      "no repository ref",
    );
    expect((await invoke("agent_version_changes_post", { aid: web, version: "1" })).status).toBe(409);
    host.repositories.splice(0);
    await invoke("vcs_installation_post", {});
    expect(await invoke("agent_version_changes_post", { aid, version: "1" })).toMatchObject({
      status: 409,
      body: { error: "not_covered" },
    });
    host.repositories.push("acme/bot");
  },
  withHost,
);

bothSurfaces("without the operator's app an installation cannot be begun", async (invoke) => {
  expect((await invoke("vcs_installation_get")).body.app).toEqual({ env: "SVC_VCS_APP_ID", set: false });
  expect((await invoke("vcs_installations_post")).status).toBe(422);
});

bothSurfaces(
  "a scan of a repository agent makes a version of its branch's new head, once, where it touches the paths",
  async (invoke, { org }) => {
    const branch = "scan";
    repo.commit({ "tools/list.ts": "export const s = 1;\n" }, branch);
    await install(invoke, org.push);
    const made = { kind: "repository", name: "bot", url: "acme/bot", ref: branch, run: "node agent.mjs" };
    const aid = (await invoke("agents_post", made)).body.agent.id;
    const scan = async (args: object = {}) => {
      const started = await invoke("agent_scan", { aid, ...args }, org.push);
      expect(started.status).toBe(202);
      expect(await endOf(invoke, started.body.job)).toBe("landed");
      return (await invoke("job_status", { job_id: started.body.job })).body.result;
    };
    expect(await scan()).toMatchObject({ looked: 1, found: [] });
    repo.commit({ "docs/b.md": "b" }, branch);
    expect(await scan({ paths: ["tools"], cadence: "daily" })).toMatchObject({ found: [], passed_over: 1 });
    const head = repo.commit({ "tools/more.ts": "more" }, branch);
    const found = await scan();
    expect(found.found).toMatchObject([{ version: head.slice(0, 12), ref: branch, sha: head, commits: 2 }]);
    expect((await scan()).found).toEqual([]);
    const { agent } = (await invoke("agents_get", { aid })).body;
    expect(agent.versions).toHaveLength(2);
    expect(agent.versions[1]).toMatchObject({
      changes: { files: 2, head },
      command: ["/bin/sh", "-c", "node agent.mjs"],
    });
    expect(agent.scanned).toMatchObject({ sha: head, paths: ["tools"] });

    const { schedules } = (await invoke("schedules_list")).body;
    expect(schedules).toMatchObject([{ kind: "scan", agent: aid, cadence: "daily", fire_blocked: null }]);
    await scan({ cadence: "manual" });
    expect((await invoke("schedules_list")).body.schedules).toEqual([]);
    const web = (await invoke("agents_post", { kind: "command", name: "c", command: "x" })).body.agent.id;
    expect((await invoke("agent_scan", { aid: web })).status).toBe(409);
    expect((await invoke("agent_scan", { aid: "none" })).status).toBe(404);
  },
  withHost,
);
