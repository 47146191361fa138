import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startApp, type TestApp } from "../helpers/app.ts";
import { type Running, startFixtures, withToken } from "../helpers/conformance-server.ts";
import { startIssuer } from "../helpers/vendors/oauth-issuer.ts";

const SUITE = new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url).pathname;

interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  errorMessage?: string;
}

/**
 * Scenarios about what this service does not offer: it has tools, prompts and resources, and neither logs, tasks,
 * subscriptions (nothing is kept between requests) nor questions back.
 */
const NOT_OFFERED =
  /^(logging-set-level|tools-call-(with-logging|sampling|elicitation)|elicitation-.*|resources-(un)?subscribe|input-required-result-.*|tasks-.*|http-custom-header-server-validation)$/;
/** Checks of the same within scenarios that do apply, each by its id. */
const NOT_OFFERED_CHECKS = new Set([
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
]);

/** What both revisions require. */
const MUST_PASS_BOTH = [
  "tools-list",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
  "completion-complete",
  "resources-list",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "prompts-list",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
  "json-schema-2020-12",
  "dns-rebinding-protection",
] as const;
/** What has to be met under each revision, and has to have been measured. */
const MUST_PASS = {
  "2025-11-25": [...MUST_PASS_BOTH, "server-initialize", "ping"],
  "2026-07-28": [
    ...MUST_PASS_BOTH,
    "server-stateless",
    "sep-2164-resource-not-found",
    "server-sse-multiple-streams",
    "http-header-validation",
    "caching",
  ],
} as const;

/** Runs one revision's requirements, or one scenario, and reads what each check came to. */
async function conformance(url: string, args: readonly string[]): Promise<Map<string, Check[]>> {
  const out = mkdtempSync(join(tmpdir(), "svc-conformance-"));
  try {
    const child = spawn(process.execPath, [SUITE, "server", "--url", url, "--output-dir", out, ...args], {
      stdio: "ignore",
    });
    await new Promise((resolve) => child.once("exit", resolve));
    const results = new Map<string, Check[]>();
    for (const folder of readdirSync(out)) {
      const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(folder)?.[1] ?? folder;
      results.set(scenario, JSON.parse(readFileSync(join(out, folder, "checks.json"), "utf8")) as Check[]);
    }
    return results;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

const failures = (results: Map<string, Check[]>) =>
  [...results]
    .filter(([scenario]) => !NOT_OFFERED.test(scenario))
    .flatMap(([scenario, checks]) =>
      checks
        .filter((check) => check.status === "FAILURE" && !NOT_OFFERED_CHECKS.has(check.id))
        .map((check) => `${scenario}: ${check.id}: ${check.errorMessage}`),
    );
/** Scenarios in which at least one check succeeded: a scenario that measured nothing shows nothing. */
const measured = (results: Map<string, Check[]>) =>
  [...results].filter(([, checks]) => checks.some((check) => check.status === "SUCCESS")).map(([scenario]) => scenario);

describe("the suite's fixtures on this transport", () => {
  let fixtures: Running;
  beforeAll(async () => {
    fixtures = await startFixtures();
  });
  afterAll(() => fixtures.close());

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "meet what %s requires of a server with tools, prompts and resources",
    async (revision) => {
      const results = await conformance(fixtures.url, ["--requirements", revision]);
      expect(failures(results)).toEqual([]);
      expect(measured(results)).toEqual(expect.arrayContaining([...MUST_PASS[revision]]));
    },
  );
});

describe("the real tools behind a token", () => {
  let app: TestApp;
  let door: Running;
  beforeAll(async () => {
    app = await startApp({ jobs: false });
    door = await withToken(app.url, (await app.org()).admin);
  });
  afterAll(async () => {
    await door.close();
    await app.close();
  });

  it.each([
    ["2025-11-25", "server-initialize"],
    ["2025-11-25", "ping"],
    ["2025-11-25", "tools-list"],
    ["2025-11-25", "prompts-list"],
    ["2025-11-25", "resources-list"],
    ["2025-11-25", "dns-rebinding-protection"],
    ["2026-07-28", "server-stateless"],
    ["2026-07-28", "tools-list"],
    ["2026-07-28", "prompts-list"],
    ["2026-07-28", "resources-list"],
    ["2026-07-28", "sep-2164-resource-not-found"],
    ["2026-07-28", "caching"],
    ["2026-07-28", "http-header-validation"],
    ["2026-07-28", "dns-rebinding-protection"],
  ])("as of %s meet %s", async (revision, scenario) => {
    const results = await conformance(door.url, ["--scenario", scenario, "--spec-version", revision]);
    expect(failures(results)).toEqual([]);
    expect(measured(results)).toEqual([scenario]);
  });
});

it("the issuer that sign-in is tested with is an authorization server as the suite wants one", async () => {
  const issuer = await startIssuer({});
  const out = mkdtempSync(join(tmpdir(), "svc-conformance-"));
  try {
    const port = String(await freePort());
    const args = ["--url", issuer.url, "--client-id", "client-1", "--port", port, "--resource", "http://x.test/mcp"];
    const child = spawn(process.execPath, [SUITE, "authorization", ...args, "--output-dir", out]);
    const ended = once(child, "exit");
    let said = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      said += text;
      const signIn = /^http\S+\/authorize\?\S+$/m.exec(said)?.[0];
      if (signIn === undefined || !/Callback server started/.test(said)) continue;
      said = "";
      // As the person's browser does.
      await fetch(signIn);
    }
    expect(await ended).toEqual([0, null]);
    const checks = readdirSync(out).flatMap((folder): Check[] =>
      JSON.parse(readFileSync(join(out, folder, "checks.json"), "utf8")),
    );
    expect(readdirSync(out)).toHaveLength(2);
    expect(checks.filter(({ status }) => status === "FAILURE")).toEqual([]);
    expect(checks.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThanOrEqual(2);
  } finally {
    rmSync(out, { recursive: true, force: true });
    await issuer.close();
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
