import type { z } from "zod";
import { DECIDES } from "../../chapters/findings/judging/scorers.ts";
import type { JobStatus } from "../../chapters/job.ts";
import type { HARNESSES } from "../../chapters/records/agents/agents.ts";
import type { EndCause, RootCause, TrialEnd } from "../../chapters/records/runs/runs.ts";
import type { TaskStatus } from "../../chapters/records/sandboxes/sandboxes.ts";
import { LOOK_AT } from "../../chapters/runs/groups/takeaways.ts";
import type { Term } from "../../tools/questions/meaning.ts";
import type { Family } from "../../worlds/tasks/schema.ts";
import { docPages } from "./docs.ts";

type Of<T extends string> = Readonly<Record<T, string>>;

const ENDS: Of<Exclude<TrialEnd, "met">> = {
  failed:
    "The end of a trial that the agent is charged with: a check does not hold, or it crashed, ran out of time or memory, or answered in no form that can be read. It counts in the rate.",
  infra:
    "The end of a trial that is nobody's fault who is measured: it could not start, a model provider or this service failed, or it was stopped. It is left out of the rate and counted beside it.",
  invalid:
    "The end of a trial that is the task's or the world's fault: the world had no answer to a call (not_served), a check could not be decided, or the task had changed. It is left out of the rate and counted beside it.",
};
const TASKS: Of<Exclude<z.infer<typeof TaskStatus>, "certified" | "held">> = {
  draft: "The status of a task that no review has proven yet: it does not count in a run.",
  refused: "The status of a task whose review did not prove that its checks tell right trials from wrong ones.",
  retired: "The status of a task that was taken out of use; it can be restored.",
};
const JOBS: Of<Exclude<JobStatus, "landed" | "held">> = {
  queued: "The status of a job that waits for its turn.",
  running: "The status of a job that is being worked on.",
  failed: "The status of a job that ended by an error; its note says which.",
  stopped: "The status of a run that a person ended; its finished trials stay.",
  cancelled: "The status of a job other than a run that a person ended; what it stored stays.",
};
const CAUSES: Of<Exclude<EndCause, RootCause | "checks" | "gap" | "stopped" | "task">> = {
  out_of_memory: "the agent used more memory than it may have",
  could_not_start: "the agent's program or address could not be started or reached, so that nobody is charged",
  killed: "the process was ended from outside",
  provider: "a model provider of this service failed, so that nobody is charged",
  service: "this service failed, so that nobody is charged",
  undecided: "a check could not be decided, so that the trial is invalid",
};
const FAMILIES: Of<Exclude<Family, "criterion">> = {
  lookup: "the request asks for a value that stands in one row",
  multi_hop: "the request asks for a value that only another row's answer leads to",
  filter: "the request asks which rows meet a condition",
  aggregate: "the request asks for a count or a sum over rows",
  write: "the request asks for one change",
  multi_write: "the request asks for several changes",
  guarded_write: "the request asks for a change that the world's own rules refuse, so that the right act is to decline",
  no_data: "the request asks for what does not exist, so that the right answer says so",
  ambiguous: "the request leaves out which of several rows is meant, so that the right act is to ask",
  mined: "it was taken over from a recorded session, with what that session did",
  regression: "it was made of a failure that was seen, with what would have been right",
};
const HARNESS: Of<(typeof HARNESSES)[number]> = {
  reference: "plays a task's own script, which shows that the task can be solved",
  null: "does nothing and answers nothing, which shows that no task is met by that",
  rule: "calls tools by a fixed rule from the words of the request, without a model, as a floor to compare with",
  replay: "repeats what the stored trace of the same request did",
  react: "is a model that is given the request and the tools, and calls them until it answers",
};
const { other: _, ...NAMED } = LOOK_AT;
/** Words of comparisons and of what is read out of traces, and the names they have in operations. */
const MORE: readonly Term[] = [
  {
    names: ["cannot tell", "cannot_tell", "can not tell", "can't tell"],
    text: "cannot tell: The word of a comparison that has no verdict: too few tasks were run by both under the same terms, or too many trials ended without one. It does not say that the two are alike; its line names the reason and what to do.",
    value: true,
  },
  {
    names: ["no difference shown"],
    text: "no difference shown: The word of a comparison whose difference may be chance: it is within what the tasks vary by themselves. It does not say that the two are alike.",
    value: true,
  },
  {
    names: ["verdict"],
    text: "verdict: What is decided: of a trial whether its checks hold, of a comparison which version is worse, or that it cannot tell.",
  },
  {
    names: ["confidence", "confidence 99", "how sure"],
    text: "confidence: How sure a difference of two versions is, 0 to 100, from an exact permutation test over the tasks that both ran: at 99 chance alone would show such a difference in at most 1 of 100 cases.",
    value: true,
  },
  {
    names: ["plain recording", "recording baseline"],
    text: "plain recording: A simpler stand-in for a system, which fidelity is compared with: it answers a call only as the same call was answered in the sessions, whatever was changed before.",
    own: true,
  },
  {
    names: ["stale", "stale task", "stale certificate"],
    text: "stale: Said of a task whose certificate was made with an older engine: start_run refuses it until environment_review_post has reviewed it again, which needs no model.",
    value: true,
  },
  {
    names: ["coverage"],
    text: "coverage: Which situations (a use case, a persona, a condition of the data) hold certified tasks, and which tools that traces call are needed by no task.",
    own: true,
  },
  {
    names: ["held out call", "held out", "as observed", "answered as observed"],
    text: "as observed: Said of a held-out call, one of a session that the world was not compiled from, which the world answers as the system did in that session.",
    value: true,
  },
  {
    names: ["wrong success"],
    text: "wrong success: A held-out call that the world answers with a success other than what the system answered: with other content, or where the system refused.",
    value: true,
  },
  {
    names: ["interval", "95 interval", "confidence interval"],
    text: "interval: The range that a rate is estimated to lie in, at 95 % confidence; it counts tasks and not trials, as trials of one task are alike.",
    value: true,
  },
  {
    names: ["regression"],
    text: "regression: What a comparison shows where a version is worse than the one before by more than chance would make it.",
    value: true,
  },
  {
    names: ["scope"],
    text: "scope: What a token may do: read reads, push also sends, starts and changes, admin also decides on members and tokens.",
    value: true,
  },
  {
    names: ["root cause"],
    text: "root cause: The named reason why a trial failed, found by rule from its calls, its answers and what it changed.",
  },
  {
    names: ["use case"],
    text: "use case: A kind of request that people make of the agent, read out of traces or declared.",
  },
  {
    names: ["persona"],
    text: "persona: A kind of person who makes requests of the agent, read out of traces or declared.",
  },
  {
    names: ["ontology"],
    text: "ontology: What a surface is about: its kinds of objects with their fields and relations, and the use cases, personas and conditions of its requests.",
  },
  {
    names: ["pass^k", "pass hat k"],
    text: "pass^k: The share of tasks that are met in all of k trials, estimated from the trials of each task; pass@k is the share that is met in at least one.",
  },
  {
    names: ["flaky", "flaky task"],
    text: "flaky: A task that is met in some trials of a version and failed in others; it takes several trials of each task to see.",
    value: true,
  },
];

/** Every word whose meaning can be told: the glossary's, and what ends, statuses, causes and kinds of checks are called. */
export function terms(): Term[] {
  return [
    ...glossary(),
    ...MORE,
    ...Object.entries(HARNESS).map(([name, does]) => harness(name, does)),
    ...valuesOf(ENDS),
    ...valuesOf(TASKS),
    ...valuesOf(JOBS),
    ...valuesOf(NAMED, "A root cause of failed trials: "),
    ...valuesOf(CAUSES, "A cause of a trial's end: "),
    ...valuesOf(DECIDES, "A kind of check. "),
    ...valuesOf(FAMILIES, "A family of tasks: "),
  ];
}

/** Other names of the glossary's words, and what is said of them by another form of the word. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  trial: "attempt | rollout | episode",
  task: "test case | scenario",
  check: "criterion | assertion",
  world: "fake world",
  environment: "test environment",
  run: "run group",
  evidence: "upload",
};
const SAID: Readonly<Record<string, string>> = {
  certificate: "certified | proven",
  held: "held set | held task",
  gap: "unserved | not served",
};

/** The glossary's words with their sentences; a word of code in a sentence that is told nowhere else is told by it. */
function glossary(): Term[] {
  const page = docPages().find(({ name }) => name === "glossary")?.text ?? "";
  return [...page.matchAll(/^\| (\*\*.+?) +\| (.+?) +\|$/gm)].flatMap(([, bold = "", sentence = ""]) => {
    const names = [...bold.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name!);
    const also = [...sentence.matchAll(/also called an? (\w+)/g)].map(([, name]) => name!);
    const codes = [...sentence.matchAll(/`([a-z_-]+)`/g)].map(([, code]) => code!).filter((code) => !(code in ENDS));
    const classes = names.includes("answer class") ? ["pending"] : [];
    const text = `${names.join(", ")}: ${sentence.replaceAll("`", "")}`;
    const said = names.flatMap((name) => SAID[name]?.split(" | ") ?? []);
    const other = names.flatMap((name) => OTHER_NAMES[name]?.split(" | ") ?? []);
    const value = names.some((name) => ["met", "landed", "held"].includes(name));
    const own = names.includes("tier");
    const term = { names: [...names, ...also, ...other], text, value, own };
    return [term, { names: [...said, ...codes, ...classes], text, value: true, own }];
  });
}

/** A built-in agent; a null agent is the one thing that "null" is said of. */
function harness(name: string, does: string): Term {
  const names = ["agent", "harness", "player", "baseline"].map((kind) => `${name} ${kind}`);
  const text = `${name} agent: A built-in agent that needs no connecting: it ${does}.`;
  return { names: name === "null" ? [name, ...names] : names, text, own: true };
}

function valuesOf(texts: Of<string>, before = ""): Term[] {
  return Object.entries(texts).map(([name, text]) => {
    const sentence = `${before}${text}`;
    return { names: [name], text: `${name}: ${sentence.endsWith(".") ? sentence : `${sentence}.`}`, value: true };
  });
}
