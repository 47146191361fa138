import type { JsonObject } from "../../../../worlds/json.ts";
import type { Random } from "../../../../worlds/samples/desk/random.ts";
import { type Answered, type Asked, data, refused, type Service } from "./services.ts";

const CREW = ["ida", "otto", "rune"];
const HOLDERS = ["ida", "otto", "rune", "ida", "otto", "rune", "otto", "ida"];

/** Jobs that their holder alone may see. Each task starts with another of the crew on duty; in task 3 nobody asks who it is. */
export class Depot implements Service {
  readonly tools = ["begin_shift", "on_duty", "show_job", "finish_job", "assign_job", "my_jobs"];
  private readonly random: Random;
  private readonly task: number;
  private duty: string;
  /** What a client asks next. */
  private readonly next: Asked[] = [];
  private readonly jobs = HOLDERS.map((holder, i) => ({
    job_no: 41 + i,
    holder,
    state: i % 3 === 0 ? "done" : "open",
  }));

  constructor(random: Random, task: number) {
    this.random = random;
    this.task = task;
    this.duty = CREW[task % CREW.length] as string;
  }

  call(tool: string, { name, job_no, to }: JsonObject): Answered {
    if (tool === "begin_shift") {
      if (!CREW.includes(String(name))) return refused(`Nobody is called ${name}.`);
      this.duty = String(name);
      const badge = Array.from({ length: 10 }, () => this.random.int(0, 15).toString(16)).join("");
      return data({ badge, name, minutes: 480 });
    }
    if (tool === "on_duty") return data({ name: this.duty });
    if (tool === "my_jobs")
      return data(
        this.jobs.filter(({ holder }) => holder === this.duty).map(({ job_no, state }) => ({ job_no, state })),
      );
    const job = this.jobs.find((one) => one.job_no === job_no);
    if (!job) return refused(`There is no job ${job_no}.`);
    if (job.holder !== this.duty) return refused(`Job ${job_no} is held by another.`);
    if (tool === "finish_job") {
      if (job.state === "done") return refused(`Job ${job_no} is done already.`);
      job.state = "done";
    }
    if (tool === "assign_job") job.holder = String(to);
    return data(tool === "show_job" ? job : { job_no, state: job.state });
  }

  ask(random: Random): Asked {
    const next = this.next.shift();
    if (next) return next;
    const job_no = random.int(41, random.chance(0.1) ? 60 : 48);
    if (random.chance(0.15)) return ["begin_shift", { name: random.chance(0.1) ? "zed" : random.pick(CREW) }];
    if (random.chance(0.15)) return this.task === 3 ? ["show_job", { job_no }] : ["on_duty", {}];
    if (random.chance(0.15)) return ["my_jobs", {}];
    if (random.chance(0.2)) return ["finish_job", { job_no }];
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
