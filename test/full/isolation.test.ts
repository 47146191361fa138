import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TrialGroups } from "../../src/agents/isolation/cgroups.ts";
import { DEFAULT_ISOLATION, type IsolationSettings } from "../../src/agents/isolation/settings.ts";
import { createLauncher, type Launcher } from "../../src/agents/launcher.ts";

const LIMITS = { memoryBytes: 256 * 2 ** 20, processes: 40, diskBytes: 32 * 2 ** 20 };
const BOXED: IsolationSettings = { ...DEFAULT_ISOLATION, mode: "bubblewrap", limits: LIMITS };
const OPEN: IsolationSettings = { ...BOXED, mode: "none" };
/** Whether the kernel holds limits here, or looks at what trials use. */
const HELD_BY = TrialGroups.open() === undefined ? "measured" : "cgroup";
/** What an agent could write at most, MB, in the folders of its own that its limit covers. */
const MOST_MB = 150;

const data = mkdtempSync(join(tmpdir(), "service-"));
const elsewhere = mkdtempSync(join(tmpdir(), "postgresql-"));
const agents = mkdtempSync(join(tmpdir(), "hostile-"));
const sockets = [join(data, "owner.sock"), join(elsewhere, ".s.PGSQL.5432")];
const reached = createPlain((socket) => socket.end("reached"));
const owners = sockets.map(() => createPlain((socket) => socket.end("reached")));
/** The world of every trial: a trial tells it where its own endpoint is, and waits for its answer if it asks it to. */
let neighbour = "";
let letGo: () => void = () => {};
const world = createServer((req, res) => {
  if (req.headers["x-neighbour"] === undefined) return void res.end("world");
  neighbour = String(req.headers["x-neighbour"]);
  letGo = () => res.end("world");
});

beforeAll(async () => {
  for (const name of ["store.db", "key"]) writeFileSync(join(data, name), "secret");
  await Promise.all([
    ...owners.map((server, i) => new Promise<void>((resolve) => server.listen(sockets[i], resolve))),
    ...[reached, world].map((server) => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
  ]);
  process.env.SVC_TEST_SECRET = "of the service";
});
afterAll(() => {
  for (const server of [...owners, reached, world]) server.close();
  delete process.env.SVC_TEST_SECRET;
  for (const folder of [data, elsewhere, agents]) rmSync(folder, { recursive: true, force: true });
});

const portOf = (server: typeof reached | typeof world) => (server.address() as AddressInfo).port;

const NODE = `
import { spawn } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
const plan = JSON.parse(process.env.PLAN);
const worked = [];
const attempt = async (name, work) => { try { if (await work()) worked.push(name); } catch {} };
const reach = (to) => new Promise((resolve) => { const s = connect(to, () => s.on("data", () => resolve(true))).on("error", () => resolve(false)).on("close", () => resolve(false)); });
for (const file of plan.files) await attempt("read " + file, () => readFileSync(file, "utf8").includes("secret"));
for (const pid of readdirSync("/proc").filter((name) => /^\\d+$/.test(name)))
  await attempt("environment of a process", () => /SVC_TEST_SECRET|NEIGHBOUR=/.test(readFileSync("/proc/" + pid + "/environ", "utf8")));
for (const path of plan.sockets) await attempt("socket " + path, () => reach({ path }));
await attempt("port", () => reach({ port: plan.port, host: "127.0.0.1" }));
const { hostname, port } = new URL(plan.neighbour);
await attempt("another trial's endpoint", () => fetch(plan.neighbour).then((r) => r.text()).then((text) => text === "world"));
for (const pid of plan.pids) await attempt("signal", () => process.kill(pid, 0));
spawn("setsid", ["env", "-i", "sleep", plan.stays], { stdio: "ignore", detached: true }).unref();
let written = 0;
const block = Buffer.alloc(2 ** 20);
for (const folder of plan.folders) await attempt("none", () => { for (let i = 0; i < 120; i++) { appendFileSync(folder + "/filled", block); written += 1; } });
if (written > plan.most) worked.push("fill the disk");
const server = createServer((s) => s.on("error", () => {}).end("reached"));
await new Promise((resolve) => server.on("error", resolve).listen(plan.listens, "0.0.0.0", resolve));
process.stdin.once("data", () => setTimeout(() => { console.log(JSON.stringify({ answer: JSON.stringify(worked) })); process.exit(0); }, 1500));
`;

const PYTHON = `
import json, os, socket, subprocess, sys, time, urllib.request
plan = json.loads(os.environ["PLAN"])
worked = []
def attempt(name, work):
    try:
        if work(): worked.append(name)
    except Exception: pass
def reach(family, to):
    s = socket.socket(family); s.settimeout(3); s.connect(to); return s.recv(9) == b"reached"
def environment(pid):
    text = open("/proc/" + pid + "/environ", "rb").read()
    return b"SVC_TEST_SECRET" in text or b"NEIGHBOUR=" in text
for file in plan["files"]: attempt("read " + file, lambda: "secret" in open(file).read())
for pid in filter(str.isdigit, os.listdir("/proc")): attempt("environment of a process", lambda: environment(pid))
for path in plan["sockets"]: attempt("socket " + path, lambda: reach(socket.AF_UNIX, path))
attempt("port", lambda: reach(socket.AF_INET, ("127.0.0.1", plan["port"])))
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
attempt("another trial's endpoint", lambda: direct.open(plan["neighbour"], timeout=3).read() == b"world")
for pid in plan["pids"]: attempt("signal", lambda: os.kill(pid, 0) is None)
subprocess.Popen(["setsid", "env", "-i", "sleep", plan["stays"]], start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
written = 0
for folder in plan["folders"]:
    try:
        with open(folder + "/filled", "ab", buffering=0) as f:
            for i in range(120): written += f.write(bytes(2 ** 20)) / 2 ** 20
    except OSError: pass
if written > plan["most"]: worked.append("fill the disk")
try:
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("0.0.0.0", plan["listens"])); s.listen()
except OSError: pass
sys.stdin.readline(); time.sleep(1.5)
print(json.dumps({"answer": json.dumps(worked)}), flush=True)
`;

const SHELL = `
worked=""
add() { worked="$worked, \\\\\\"$1\\\\\\""; }
for file in $FILES; do grep -qs secret "$file" && add "read $file"; done
grep -qsE "SVC_TEST_SECRET|NEIGHBOUR=" /proc/[0-9]*/environ && add "environment of a process"
for path in $SOCKETS; do curl -s --max-time 3 --http0.9 --unix-socket "$path" http://x/ | grep -q reached && add "socket $path"; done
curl -s --noproxy "*" --max-time 3 --http0.9 "http://127.0.0.1:$PORT/" | grep -q reached && add port
curl -s --noproxy "*" --max-time 3 "$OTHER" | grep -q world && add "another trial's endpoint"
for pid in $PIDS; do kill -0 $pid 2>/dev/null && add signal; done
setsid env -i sleep $STAYS >/dev/null 2>&1 </dev/null &
for folder in $FOLDERS; do dd if=/dev/zero of=$folder/filled bs=1M count=120 2>/dev/null; done
written=$(cat /proc/meminfo >/dev/null; for folder in $FOLDERS; do stat -c %s $folder/filled 2>/dev/null; done | awk '{n += $1} END {print int(n / 1048576)}')
[ "$written" -gt $MOST ] && add "fill the disk"
read turn; sleep 1.5
echo "{\\"answer\\": \\"[$(echo "$worked" | cut -c3-)]\\"}"
`;

async function hostile(language: string, isolation: IsolationSettings) {
  const launcher = createLauncher({ dataDir: data, commandsAllowed: true, privateAddressesAllowed: true, isolation });
  try {
    return await attacked(language, launcher);
  } finally {
    await launcher.close();
  }
}

async function attacked(language: string, launcher: Launcher) {
  const run = (command: string[], env: Record<string, string>) =>
    launcher.run(
      { kind: "command", adapter: "svc", command, env },
      async () => ({
        trial: "t",
        turns: ["hello"],
        mcpUrl: `http://127.0.0.1:${portOf(world)}/mcp`,
        mcpToken: `svc_world_${randomUUID()}`,
        timeoutSeconds: 120,
      }),
      new AbortController().signal,
    );
  neighbour = "";
  const quiet = run(["/bin/sh", "-c", `curl -s -H "x-neighbour: $SVC_TRIAL_MCP_URL" "$SVC_TRIAL_MCP_URL"; read x`], {
    NEIGHBOUR: "a token",
  });
  while (neighbour === "") await sleep(20);
  const stays = String(100_000 + Math.floor(Math.random() * 1e8));
  const listens = 20_000 + Math.floor(Math.random() * 10_000);
  const plan = {
    files: ["store.db", "key"].map((name) => join(data, name)),
    sockets,
    port: portOf(reached),
    neighbour,
    pids: [process.pid],
    stays,
    folders: ["/tmp", "/dev/shm", "/var/tmp", "/run", data],
    most: MOST_MB,
    listens,
  };
  const program = { node: process.execPath, python: "python3", shell: "/bin/sh" }[language] ?? "";
  const env = {
    PLAN: JSON.stringify(plan),
    ...{ FILES: plan.files.join(" "), SOCKETS: sockets.join(" "), PORT: String(plan.port), OTHER: neighbour },
    ...{ PIDS: plan.pids.join(" "), STAYS: stays, FOLDERS: plan.folders.join(" "), MOST: String(MOST_MB) },
  };
  const copy = join(agents, `${randomUUID()}.${language === "node" ? "mjs" : "txt"}`);
  writeFileSync(copy, { node: NODE, python: PYTHON, shell: SHELL }[language] ?? "");
  let listening = false;
  const trial = run([program, copy], env);
  const ended = trial.then(() => true);
  while (!(await Promise.race([ended, sleep(100, false)]))) listening ||= await answers(listens);
  const conduct = await trial;
  letGo();
  await quiet;
  await sleep(300);
  const left = processes().filter((line) => line.includes(stays));
  for (const line of left) process.kill(Number(line.split(" ")[0]), "SIGKILL");
  for (const folder of plan.folders) rmSync(join(folder, "filled"), { force: true });
  const worked = JSON.parse(conduct.answers[0]?.text ?? "null") as string[] | null;
  return {
    conduct,
    worked: worked && [
      ...new Set(worked),
      ...(listening ? ["a port for others"] : []),
      ...(left.length > 0 ? ["stay after its end"] : []),
    ],
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function processes(): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`] : [];
    } catch {
      return [];
    }
  });
}

describe.each(["node", "python", "shell"])("a hostile agent in %s", (language) => {
  // Finding C30.
  // Findings S2 and S3.
  it("gets at nothing from inside a sandbox", async () => {
    const { conduct, worked } = await hostile(language, BOXED);
    expect(conduct.isolation).toEqual({ by: "bubblewrap", limits: HELD_BY });
    expect(worked, conduct.log).toEqual([]);
  });

  it("gets at all of it without one, so that the attempts are real", async () => {
    const { conduct, worked } = await hostile(language, OPEN);
    expect(conduct.isolation).toMatchObject({ by: "none", why: "SVC_ISOLATION is none." });
    const all = [
      ...["store.db", "key"].map((name) => `read ${join(data, name)}`),
      "environment of a process",
      ...sockets.map((path) => `socket ${path}`),
      "port",
      "another trial's endpoint",
      "signal",
      "fill the disk",
      ...(language === "shell" ? [] : ["a port for others"]),
      "stay after its end",
    ];
    expect(worked, conduct.log).toEqual(all);
  });
});

describe("a sandbox", () => {
  const launcher = createLauncher({ commandsAllowed: true, privateAddressesAllowed: true, isolation: BOXED });
  afterAll(() => launcher.close());
  const play = (command: string[], more: { adapter?: "text"; env?: Record<string, string>; cwd?: string } = {}) =>
    launcher.run(
      { kind: "command", adapter: "svc", command, env: {}, ...more },
      async () => ({
        trial: "t",
        turns: ["one", "two's\nline"],
        mcpUrl: "",
        mcpToken: randomUUID(),
        timeoutSeconds: 60,
      }),
      new AbortController().signal,
    );

  // Finding S10.
  it("ends a trial that uses more memory, or more processes, than it may, and says so", async () => {
    const hungry = `const all = []; setInterval(() => all.push(Buffer.alloc(2 ** 24, 1)), 20)`;
    const memory = await play([process.execPath, "-e", hungry]);
    expect(memory).toMatchObject({ cause: "out_of_memory", isolation: { limits: HELD_BY } });
    expect(memory.log).toContain("used more than 256 MB of memory");
    const many = await play(["/bin/sh", "-c", "while :; do sleep 60 & done"]);
    expect(many.cause).toBe("flood");
    expect(many.log).toContain("used more than 40 processes");
  });

  it("sets a repository up, and runs its tool server, without the service's files and processes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-repository-"));
    const look = `cat ${join(data, "key")} 2>/dev/null | grep -q secret && echo the key; for pid in /proc/[0-9]*; do grep -qs SVC_TEST_SECRET $pid/environ && echo an environment; done`;
    const SERVER = `import { execFileSync } from "node:child_process";
      import { readFileSync } from "node:fs";
      import { createInterface } from "node:readline";
      const found = readFileSync("found", "utf8") + execFileSync("/bin/sh", ["-c", ${JSON.stringify(`${look}; true`)}]);
      for await (const line of createInterface({ input: process.stdin })) {
        const { id, method } = JSON.parse(line);
        const result = { initialize: { protocolVersion: "2025-11-25" }, "tools/list": { tools: [{ name: "found", inputSchema: { type: "object" } }] }, "tools/call": { content: [{ type: "text", text: found.trim() }] } }[method];
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }`;
    const found = async (isolation: IsolationSettings) => {
      writeFileSync(join(folder, "server.mjs"), SERVER);
      const launcher = createLauncher({
        dataDir: data,
        commandsAllowed: true,
        privateAddressesAllowed: true,
        isolation,
      });
      const checkout = { folder, commit: randomUUID(), ref: "main" };
      const server = {
        checkout,
        setup: `(${look}) > found; mkdir node_modules`,
        run: `${process.execPath} server.mjs`,
        env: {},
      };
      try {
        return await launcher.withServer(
          server as unknown as Parameters<typeof launcher.withServer>[0],
          (session) => session.call("found", {}),
          new AbortController().signal,
        );
      } finally {
        await launcher.close();
      }
    };
    try {
      expect(await found(BOXED)).toEqual({ text: "", isError: false });
      const open = await found(OPEN);
      expect(open?.text.split("\n").filter((line) => line === "the key")).toHaveLength(2);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("tells what could not start from what ended, as without one", async () => {
    expect(await play(["no-such-program"])).toMatchObject({ cause: "could_not_start", began: false });
    expect(await play(["no-such-program"], { adapter: "text" })).toMatchObject({ cause: "could_not_start" });
    expect(await play(["/bin/sh", "-c", "exec /no/such"])).toMatchObject({ cause: "could_not_start" });
    expect(await play(["/bin/sh", "-c", "read x; exit 127"])).toMatchObject({ cause: "crash", began: true });
    expect(await play(["/bin/sh", "-c", "read x; kill -9 $$"])).toMatchObject({ cause: "crash" });
  });

  it("keeps a home through the turns of a text agent, and no process of a turn", async () => {
    const line = `echo "$1" >> $HOME/said; sleep 600 & cat $HOME/said; set -- /proc/[0-9]*; echo $#`;
    const { answers, cause } = await play(["/bin/sh", "-c", line, "sh"], { adapter: "text" });
    expect(cause).toBeUndefined();
    const [first, second] = answers.map(({ text }) => text.split("\n"));
    expect(first?.slice(0, -1)).toEqual(["one"]);
    expect(second?.slice(0, -1)).toEqual(["one", "two's", "line"]);
    expect(second?.at(-1)).toBe(first?.at(-1));
  });

  it("reaches a port of this machine that its definition names, and no other, on a local workspace", async () => {
    const script = `import { connect } from "node:net"; import { once } from "node:events";
      await once(process.stdin, "data"); let said = "";
      const socket = connect(${portOf(reached)}, "127.0.0.1").on("data", (more) => (said += more)).on("error", () => {});
      await new Promise((resolve) => socket.on("close", resolve)); console.log(JSON.stringify({ answer: said || "not reached" })); process.exit(0);`;
    const asked = [process.execPath, "--input-type=module", "-e", script];
    const env = { MODEL_URL: `http://localhost:${portOf(reached)}/v1` };
    expect((await play(asked, { env })).answers[0]?.text).toBe("reached");
    expect((await play(asked)).answers[0]?.text).toBe("not reached");
  });

  it("takes no option of its own from what a definition says", async () => {
    const mount = `\0--bind\0${elsewhere}\0/mnt\0--setenv\0`;
    const command = ["/bin/sh", "-c", "touch /mnt/written"];
    for (const more of [
      { env: { A: `x${mount}B\0x` } },
      { env: { [`A\0x${mount}B`]: "x" } },
      { cwd: `/usr${mount}B\0x` },
    ])
      expect(await play(command, more)).toMatchObject({ cause: "could_not_start", began: false });
    expect(existsSync(join(elsewhere, "written"))).toBe(false);
  });

  it("gives no program outside of it what the agent's environment says", async () => {
    const said = await play(["/bin/sh", "-c", `while read x; do echo "{\\"answer\\":\\"$LD_PRELOAD\\"}"; done`], {
      env: { LD_PRELOAD: "/no/such.so" },
    });
    expect(said.answers[0]?.text).toBe("/no/such.so");
    // The loader says of every program that it starts with it that the library is not there: only those inside are.
    expect(said.log).not.toMatch(/bwrap|nsenter/);
  });
});
