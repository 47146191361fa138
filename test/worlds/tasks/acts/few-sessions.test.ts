import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../../worlds/compile/index.ts";
import { draw } from "../../../../worlds/draw/index.ts";
import type { Json, JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import type { GradeEnv } from "../../../../worlds/tasks/grading/grade.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { sequenceOf } from "../../../../worlds/tasks/spread.ts";
import { type Asked, type Service, sessions } from "../../compile/programs/services.ts";

const done = (text: string) => ({ result: text as Json, isError: false });

/** Folders whose pages nobody reads: all that is known of a page is that it is there, so that writing one anew changes nothing known. */
class UnreadFolders implements Service {
  readonly tools = ["write_page", "list_pages"];
  private readonly pages = new Map([
    ["cellar", new Set(["index", "rules"])],
    ["attic", new Set(["index", "tariff", "menu"])],
    ["porch", new Set(["rules", "tariff", "index", "prices"])],
  ]);

  call(tool: string, { folder, page }: JsonObject) {
    const pages = this.pages.get(String(folder)) ?? new Set<string>();
    if (tool === "list_pages") return done([...pages].sort().join(","));
    pages.add(String(page));
    return done(`Page ${page} written to ${folder}`);
  }

  ask(random: Random): Asked {
    const folder = random.pick(["cellar", "attic", "porch"]);
    if (random.chance(0.5)) return ["list_pages", { folder }];
    const page = random.chance(0.8) ? random.pick(["index", "rules", "tariff"]) : random.pick(["plan", "notes"]);
    return ["write_page", { folder, page, text: `# ${random.pick(["Plan", "Repair", "Paint"])} the ${page}\n` }];
  }
}

describe("tasks from twenty sessions that mostly write again what is there", () => {
  let env: GradeEnv;
  let tasks: readonly Task[];
  beforeAll(() => {
    const traces = sessions(
      () => new UnreadFolders(),
      Array.from({ length: 20 }, (_, i) => i),
    );
    const { bundle, base } = compile(traces, { name: "service" });
    env = { bundle, base: draw(bundle, base, { seed: "1" }) };
    tasks = generateTasks(bundle, env.base, { seed: "1", count: 40, mined: traces });
  });
  const certified = () => tasks.filter((task) => reviewTask(task, env, tasks).certificate.passed);

  it("several writes that change something are one task, whatever the session wrote between them", () => {
    const several = certified().filter(({ family }) => family === "multi_write");
    expect(several.length).toBeGreaterThanOrEqual(12);
  });
  it("two lists are asked for in one breath, each once, and both must be looked at", () => {
    const two = certified().filter((task) => sequenceOf(task) === "list_pages list_pages");
    expect(two.length).toBeGreaterThanOrEqual(2);
    const pairs = two.map(({ script }) =>
      script.calls
        .map(({ args }) => String(args.folder))
        .sort()
        .join(),
    );
    expect(new Set(pairs).size).toBe(two.length);
    for (const { checks } of two) expect(checks.filter(({ kind }) => kind === "calls_required").length).toBe(2);
  });
});
