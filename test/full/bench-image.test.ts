import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { Environment } from "../../chapters/records/sandboxes/sandboxes.ts";
import { HANGS_MS } from "../hangs.ts";
import { shopIn } from "../tools/runs/kit.ts";
import { ended, ok, sharedApp } from "../tools/sandboxes/kit.ts";

const shared = sharedApp();
const { org, invoke, store } = shared.over();

/** What of this machine stands for the image's base: its programs and libraries, and Node where the image has it. */
const BASE = ["/usr", "/bin", "/lib", "/lib64"].filter((path) => existsSync(path));

/** An image's file system, made by its own Dockerfile under bubblewrap, and what it starts. */
class Image {
  readonly root = mkdtempSync(join(tmpdir(), "bench-image-"));
  readonly #entry: string[] = [];
  #folder = "/";

  constructor(context: string) {
    for (const folder of ["app", "logs", "opt", "tests", "tmp", "solution", "var/lib", "usr-local-bin", "proc", "dev"])
      mkdirSync(join(this.root, folder), { recursive: true });
    symlinkSync(process.execPath, join(this.root, "usr-local-bin/node"));
    const lines = readFileSync(join(context, "Dockerfile"), "utf8").trim().split("\n");
    expect(lines.shift()).toMatch(/^FROM node:24/);
    for (const line of lines) {
      const [word = "", rest = ""] = line.split(/ (.*)/s);
      if (word === "COPY") {
        const [from = "", to = ""] = rest.split(" ");
        cpSync(join(context, from), this.#at(to), { recursive: true });
      } else if (word === "RUN") expect(this.#run(["/bin/sh", "-c", rest]).status).toBe(0);
      else if (word === "WORKDIR") this.#folder = rest;
      else if (word === "ENTRYPOINT") this.#entry.push(...(JSON.parse(rest) as string[]));
      else expect(line).toBe('CMD ["sleep", "infinity"]');
    }
  }

  /** A command as the container runs one: after the entry point, with nothing of this machine but its programs. */
  exec(command: readonly string[]) {
    return this.#run([...this.#entry, ...command]);
  }

  /** A command in the container beside what the entry point started. */
  beside(command: readonly string[]) {
    return this.#run(command);
  }

  #at(path: string): string {
    return join(this.root, path.replace(/^\/usr\/local\/bin/, "/usr-local-bin"));
  }

  #run(command: readonly string[]) {
    const node = dirname(process.execPath);
    const mounts = ["app", "logs", "opt", "tests", "solution", "var"].flatMap((name) => [
      "--bind",
      join(this.root, name),
      `/${name}`,
    ]);
    const base = BASE.flatMap((path) => ["--ro-bind", path, path]);
    const args = [
      "--unshare-all",
      "--die-with-parent",
      "--clearenv",
      ...base,
      ...["--bind", join(this.root, "usr-local-bin"), "/usr/local/bin", "--ro-bind", node, node],
      ...mounts,
      ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", this.#folder],
      ...["--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin"],
    ];
    return spawnSync("bwrap", [...args, ...command], { encoding: "utf8", timeout: HANGS_MS });
  }

  /** Puts a task's folder where its harness does. */
  put(from: string, to: string): void {
    cpSync(from, join(this.root, to), { recursive: true });
  }

  end(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A task from an empty folder: its image built, a command run in it, and its verifier's reward. */
function played(task: string, script: string) {
  const image = new Image(join(task, "environment"));
  try {
    writeFileSync(join(image.root, "solution/run.sh"), script);
    const ran = image.exec(["/bin/sh", "/solution/run.sh"]);
    image.put(join(task, "tests"), "tests");
    const tested = image.beside(["/bin/sh", "/tests/test.sh"]);
    const reward = join(image.root, "logs/verifier/reward.txt");
    const kept = join(image.root, "logs/artifacts/calls.jsonl");
    return {
      ran: ran.status,
      said: ran.stdout,
      erred: ran.stderr,
      tested: tested.status,
      reward: existsSync(reward) ? readFileSync(reward, "utf8").trim() : tested.stderr,
      calls: existsSync(kept) ? readFileSync(kept, "utf8").split("\n").length - 1 : -1,
    };
  } finally {
    image.end();
  }
}

it("a benchmark's image serves its world and decides under bubblewrap, by its own commands and nothing of this project", async () => {
  const made = await shopIn(shared.app.service, org.id, 2, "bench image");
  const { bundle } = (await store().records.get(Environment, made.environment))!;
  const dimensions = { family: ["lookup", "write", "no_data"] };
  const { body } = await ok(invoke("worldplans_from_surface", { bundle, count: 6, label: "bench image", dimensions }));
  await ended(invoke, body.job);
  const res = await fetch(`${shared.app.url}/v0/worldplans/${body.suite}/bench`, {
    headers: { authorization: `Bearer ${org.read}` },
  });
  const files = unzipSync(new Uint8Array(await res.arrayBuffer()));
  const folder = mkdtempSync(join(tmpdir(), "bench-empty-"));
  try {
    for (const [name, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    const tasks = [...new Set(Object.keys(files).flatMap((name) => (name.includes("/") ? [name.split("/")[0]!] : [])))];
    expect(tasks.length).toBeGreaterThan(2);
    for (const name of tasks) {
      const task = join(folder, name);
      const solve = readFileSync(join(task, "solution/solve.sh"), "utf8");
      const calls = solve.split("\n").filter((line) => line.startsWith("world call")).length;
      expect(played(task, solve)).toMatchObject({ ran: 0, tested: 0, reward: "1", calls });
      // What is claimed without a call, and a forged record of changes, are worth nothing.
      const lines = solve.split("\n").filter((line) => !line.startsWith("world call"));
      const forged = `echo '{"calls": [], "answers": [], "diff": [{"table": "orders", "key": "1"}]}' > /logs/trial.json\n`;
      const idle = played(task, `${lines.join("\n")}\n${forged}`);
      expect(idle).toMatchObject({ ran: 0, tested: 0, calls: 0 });
      const { checks } = JSON.parse(readFileSync(join(task, "tests/task.json"), "utf8")) as {
        checks: { kind: string }[];
      };
      if (checks.some(({ kind }) => kind === "state" || kind === "calls_required")) expect(idle.reward).toBe("0");
    }
    const listed = played(join(folder, tasks[0]!), "world list");
    const tools = JSON.parse(readFileSync(join(folder, tasks[0]!, "environment/tools.json"), "utf8")) as {
      name: string;
    }[];
    expect((JSON.parse(listed.said) as { name: string }[]).map(({ name }) => name)).toEqual(
      tools.map(({ name }) => name),
    );
    expect(listed.reward).toBe("0");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
