import type { JsonObject } from "../../../../../worlds/json.ts";
import type { Random } from "../../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "../services.ts";

const CREW = ["ida", "otto", "rune"];
const NEXT: Readonly<Record<string, readonly string[]>> = { open: ["begun"], begun: ["open", "done"], done: ["begun"] };
const HOLDERS = ["ida", "otto", "rune", "ida", "otto", "rune", "otto", "ida"];

/**
 * Jobs that their holder alone may see and move from one state to another. Each task starts with another of the crew on
 * duty; in task 3 nobody asks who it is.
 */
export class Depot implements Service {
  readonly tools = ["begin_shift", "on_duty", "show_job", "move_job", "assign_job", "my_jobs"];
  private readonly random: Random;
  private readonly task: number;
  private duty: string;
  /** What a client asks next. */
  private readonly next: Asked[] = [];
  private readonly jobs = HOLDERS.map((holder, i) => ({
    job_no: 41 + i,
    holder,
    state: ["done", "open", "begun"][i % 3] as string,
    rank: (i * 5) % 3,
  }));

  constructor(random: Random, task: number) {
    this.random = random;
    this.task = task;
    this.duty = CREW[task % CREW.length] as string;
  }

  call(tool: string, { name, job_no, to, state, most }: JsonObject): Answered {
    if (tool === "begin_shift") {
      if (!CREW.includes(String(name))) return refused(`Nobody is called ${name}.`);
      this.duty = String(name);
      const badge = Array.from({ length: 10 }, () => this.random.int(0, 15).toString(16)).join("");
      return data({ badge, name, minutes: 480 });
    }
    if (tool === "on_duty") return data({ name: this.duty });
    if (tool === "my_jobs") {
      const own = this.jobs.filter(({ holder }) => holder === this.duty);
      own.sort((a, b) => a.rank - b.rank || a.job_no - b.job_no);
      return data(own.slice(0, Number(most ?? 8)).map(({ holder: _, ...shown }) => shown));
    }
    const job = this.jobs.find((one) => one.job_no === job_no);
    if (!job) return refused(`There is no job ${job_no}.`);
    if (job.holder !== this.duty) return refused(`Job ${job_no} is held by another.`);
    if (tool === "move_job") {
      if (!NEXT[job.state]?.includes(String(state)))
        return refused(`Job ${job_no} cannot go from ${job.state} to ${state}.`);
      job.state = String(state);
    }
    if (tool === "assign_job") job.holder = String(to);
    return data(tool === "show_job" ? job : { job_no, state: job.state });
  }

  ask(random: Random): Asked {
    const next = this.next.shift();
    if (next) return next;
    const own = this.jobs.filter(({ holder }) => holder === this.duty);
    const job_no =
      own.length > 0 && random.chance(0.5) ? random.pick(own).job_no : random.int(41, random.chance(0.1) ? 60 : 48);
    if (random.chance(0.15)) return ["begin_shift", { name: random.chance(0.1) ? "zed" : random.pick(CREW) }];
    if (random.chance(0.15)) return this.task === 3 ? ["show_job", { job_no }] : ["on_duty", {}];
    if (random.chance(0.15)) return ["my_jobs", random.chance(0.5) ? {} : { most: random.int(1, 2) }];
    if (random.chance(0.2)) return ["move_job", { job_no, state: random.pick(Object.keys(NEXT)) }];
    if (random.chance(0.2)) {
      const to = random.pick(CREW);
      const shown: Asked = ["show_job", { job_no }];
      this.next.push(["assign_job", { job_no, to }]);
      if (random.chance(0.5)) this.next.push(["begin_shift", { name: to }], shown);
      return shown;
    }
    return ["show_job", { job_no }];
  }
}
