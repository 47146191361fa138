import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { AgentProcess } from "../../src/agents/agent-process.ts";
import { TrialGroups } from "../../src/agents/isolation/cgroups.ts";
import { Sandbox } from "../../src/agents/isolation/sandbox.ts";
import { DEFAULT_ISOLATION, guardedBy, type IsolationSettings } from "../../src/agents/isolation/settings.ts";
import { createLauncher } from "../../src/agents/launcher.ts";

const LIMITS = { memoryBytes: 256 * 2 ** 20, processes: 40, diskBytes: 32 * 2 ** 20 };
const BOXED: IsolationSettings = { ...DEFAULT_ISOLATION, mode: "bubblewrap", limits: LIMITS };
/** Whether the kernel holds limits here, or looks at what trials use. */
const HELD_BY = TrialGroups.open() === undefined ? "measured" : "cgroup";
/** An agent that takes its time: others have theirs to disturb it. */
const ANSWERS = `read turn; sleep 3; echo '{"answer":"well"}'`;

describe("a sandbox", () => {
  const launcher = createLauncher({ commandsAllowed: true, privateAddressesAllowed: true, isolation: BOXED });
  afterAll(() => launcher.close());
  const play = (command: string[]) =>
    launcher.run(
      { kind: "command", adapter: "svc", command, env: {} },
      async () => ({
        trial: "t",
        turns: ["one"],
        mcpUrl: "http://127.0.0.1:9/mcp",
        mcpToken: randomUUID(),
        timeoutSeconds: 60,
      }),
      new AbortController().signal,
    );

  it.runIf(HELD_BY === "cgroup")(
    "is in a control group of its own that it cannot leave, and that goes with it",
    async () => {
      const groups = () => readFileSync("/proc/self/cgroup", "utf8");
      const before = groups();
      const out = `cat /proc/self/cgroup >&2; for file in $(find /sys/fs/cgroup -name cgroup.procs); do (echo $$ >"$file") 2>/dev/null && echo "left by $file" >&2; done; find /sys/fs/cgroup -name "svc-trial-*" >&2; true`;
      const { log, cause } = await play(["/bin/sh", "-c", out]);
      expect(cause).toBeUndefined();
      expect(log).not.toContain("left by");
      const [folder = ""] = log.match(/\/sys\/fs\/cgroup\S*svc-trial-\S+/) ?? [];
      expect(folder).not.toBe("");
      await expect.poll(() => existsSync(folder)).toBe(false);
      expect(groups()).toBe(before);
    },
  );

  it("counts memory that processes share, once, where it is only measured", async () => {
    const sandbox = await Sandbox.open(BOXED, guardedBy(undefined));
    if (typeof sandbox === "string") throw new Error(sandbox);
    const shared = async (megabytes: number, processes: number) => {
      const script = `import mmap, os, time
m = mmap.mmap(-1, ${megabytes} << 20)
for at in range(0, len(m), 4096): m[at] = 1
for _ in range(${processes - 1}):
    if os.fork() == 0:
        for at in range(0, len(m), 4096): m[at]
        time.sleep(2)
        os._exit(0)
time.sleep(2.5)`;
      const named = { command: ["python3"], env: {} };
      const agent = await AgentProcess.start(sandbox.start({ command: ["python3", "-c", script], env: {}, named }));
      const stop = sandbox.watchFromStart(agent);
      await agent.exit();
      stop();
      return agent.fate;
    };
    try {
      expect(await shared(400, 1)).toBe("out_of_memory");
      expect(await shared(100, 6)).toBeUndefined();
    } finally {
      sandbox.close();
    }
  });

  it.runIf(HELD_BY === "cgroup")("is held to its memory between two looks", async () => {
    // Faster than a look comes: the kernel ends it, or it would have the memory for a moment.
    const atOnce = `import mmap
m = mmap.mmap(-1, 1 << 30)
for i in range(0, 1 << 30, 4096): m[i] = 1
print("took it all")`;
    const { cause, log } = await play(["python3", "-c", atOnce]);
    expect(cause).toBe("out_of_memory");
    expect(log).toContain("used more than 256 MB of memory");
  });

  it("has so many connections at once, however many it opens, and another trial goes on", async () => {
    const script = `import os, socket, sys, time
from urllib.parse import urlparse
at = urlparse(os.environ["HTTP_PROXY"])
all = [socket.create_connection((at.hostname, at.port)) for _ in range(1000)]
time.sleep(1)
def open_still(one):
    one.setblocking(False)
    try: return one.recv(1) != b""
    except BlockingIOError: return True
    except OSError: return False
print(sum(map(open_still, all)), file=sys.stderr)`;
    const [greedy, other] = await Promise.all([play(["python3", "-c", script]), play(["/bin/sh", "-c", ANSWERS])]);
    expect(greedy.log.trim()).toBe("256");
    expect(other).toMatchObject({ answers: [{ text: "well" }] });
    expect(other.cause).toBeUndefined();
  });

  it("cannot end the launcher, and other trials with it, by what it sends through it", async () => {
    const script = `import os, socket
from urllib.parse import urlparse
for name in "HTTP_PROXY", "SVC_TRIAL_MCP_URL":
    at = urlparse(os.environ[name])
    for line in "GET http://192.0.2.1:9/", "POST " + at.path, "CONNECT 192.0.2.1:99999", "CONNECT [", "GET http://a b/":
        one = socket.create_connection((at.hostname, at.port))
        one.sendall((line + " HTTP/1.1\\r\\nhost: x\\r\\ntrailer: x\\r\\ncontent-length: 0\\r\\n\\r\\n").encode())
        one.close()`;
    const [hostile, other] = await Promise.all([play(["python3", "-c", script]), play(["/bin/sh", "-c", ANSWERS])]);
    // Its attempts were made: no error of the program's own ended them.
    expect(hostile.log).not.toContain("Traceback");
    expect(other).toMatchObject({ answers: [{ text: "well" }] });
  });
});
