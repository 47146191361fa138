import { describe, expect, it } from "vitest";
import { describeCheck } from "../../../../chapters/sandboxes/tasks/checks.ts";
import { generateTasks } from "../../../../worlds/tasks/generate.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../../worlds/tasks/grading/rehearse.ts";
import { reviewAll } from "../../../../worlds/tasks/grading/review.ts";
import { rootCause } from "../../../../worlds/tasks/grading/root-cause.ts";
import { playRule } from "../../../../worlds/tasks/grading/rule-agent.ts";
import { reference, reviewKit } from "../../../../worlds/tasks/grading/variation.ts";
import type { FinishedTrial, Task } from "../../../../worlds/tasks/schema.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { recordedUser } from "../../../../worlds/tasks/user/recorded.ts";
import { UserByRule, userReply } from "../../../../worlds/tasks/user/reply.ts";
import { userReplies, userWords } from "../../../../worlds/tasks/user/user-replies.ts";
import { shop, shopRows } from "../../fixtures/shop.ts";

const env = { bundle: shop, base: shopRows };
const kit = reviewKit(env);
const tasks = generateTasks(shop, shopRows, { seed: "users", count: 20, families: ["ambiguous"] });
const asked = (task: Task) => task.user !== undefined && task.script.questions?.length === 1;
const [task] = tasks.filter(asked) as [Task];
const right = reference(kit, task);
const missing = String(task.user?.knows[0]?.value);

describe("tasks that ask for a change", () => {
  const writes = generateTasks(shop, shopRows, { seed: "confirmed", count: 10, families: ["write", "multi_write"] });
  it("have a user who says yes to an agent that asks whether to go on", () => {
    expect(writes.length).toBeGreaterThanOrEqual(5);
    for (const one of writes) {
      const user = new UserByRule(one);
      expect(user.reply([{ text: "I will make this change. Do you confirm (yes/no)?" }], 0)).toBe(
        "Yes, please go ahead.",
      );
      const done = reference(kit, one);
      const confirmed = { ...done, answers: [{ text: "Shall I go ahead?" }, ...done.answers] };
      expect(grade(one, confirmed, env)).toMatchObject({ end: "met" });
      // An answer that only asks, to one who is there to answer, is still no change.
      expect(grade(one, { ...confirmed, calls: [], diff: [], answers: confirmed.answers.slice(0, 1) }, env).end).toBe(
        "failed",
      );
    }
  });
  it("reading tasks have none", () => {
    const reads = generateTasks(shop, shopRows, { seed: "confirmed", count: 5, families: ["lookup"] });
    expect(reads.filter(({ user }) => user !== undefined)).toEqual([]);
  });
});

describe("tasks that leave out which row is meant", () => {
  it("are conversations, certified, with no wrong trial let pass and no equal one refused", () => {
    const review = reviewAll(tasks, env);
    expect(tasks.length).toBeGreaterThanOrEqual(15);
    expect(tasks.every(({ user, turns }) => user !== undefined && turns.length === 0)).toBe(true);
    expect(review.passed).toBe(tasks.length);
    expect(review.rejected).toBe(review.mutants);
    expect(review.spared).toBe(review.equals);
    expect(tasks.filter(({ request, user }) => request.includes(String(user?.knows[0]?.value)))).toEqual([]);
  });
  it("are met by an agent that asks who it is, and finds by that which row is meant", () => {
    const email = task.user?.knows.find(({ names }) => names.includes("email"))?.value;
    const find = { tool: "find_customer", args: { email } };
    const ends = (question: string) => {
      const script = { ...task.script, questions: [question], calls: [find, ...task.script.calls] };
      return grade(task, playScript(kit.fork(), script, 1), env).end;
    };
    expect(ends("Could you tell me the email of your account, please?")).toBe("met");
    expect(ends("Is there anything else?")).toBe("failed");
    expect(describeCheck({ kind: "asks", about: ["order"] }, task)).toContain(
      "anything else that the request leaves out",
    );
    expect(describeCheck({ kind: "asks", about: ["order"] }, {})).toBe("The agent asks the user about order.");
  });
  it("are rehearsed against asking for ever, asking nothing and asking too late, and with a confirmation more", () => {
    const tried = new Map(rehearsals(task, env).map((one) => [one.name, { ...one, ...grade(task, one.trial, env) }]));
    for (const name of ["only asks", "asks nothing", "asks when it is done", "another argument"])
      expect(tried.get(name)).toMatchObject({ right: false, end: "failed" });
    expect(tried.get("with a confirmation asked for")).toMatchObject({ right: true, end: "met" });
  });
  it("say the same to the same answers, and what was said is what is recorded", () => {
    const said = userReplies(task, right);
    expect(said.map(({ text }) => text)).toEqual([userReply(task, right.answers.slice(0, 1))]);
    expect(said[0]?.text).toContain(missing);
    expect(userWords(task, right)).toBe(`${task.request}\n${said[0]?.text}`);
    const recorded: FinishedTrial = { ...right, said: [{ text: `It's ${missing}`, calls: 0, tier: "llm-derived" }] };
    expect(userReplies(task, recorded)).toEqual(recorded.said);
    expect(grade(task, recorded, env).end).toBe("met");
    expect(grade(task, { ...recorded, said: [] }, env)).toMatchObject({
      end: "failed",
      cause: expect.stringContaining("asks:"),
    });
  });
  it("count what the user said as known: naming it again invents nothing, and guessing has its own cause", () => {
    const guessed = { ...right, answers: right.answers.slice(-1) };
    const graded = grade(task, guessed, env);
    expect(graded.end).toBe("failed");
    expect(rootCause(task, guessed, graded.verdicts)).toBe("unverified_write");
  });
  it("answer the rule agent, which asks", () => {
    const user = new UserByRule(task);
    const trial = playRule(kit.fork(), [task.request], user);
    expect(trial.said).toEqual(user.said);
    expect(trial.answers.length).toBe(user.said.length + 1);
  });
});

describe("a trial of a task without a user", () => {
  it("keeps its form, and nobody replies in it", () => {
    const { user: _user, ...plain } = task;
    expect(userReplies(plain, right)).toEqual([]);
    expect(Object.keys(reference(kit, { ...plain, turns: ["And?"] })).sort()).toEqual(["answers", "calls", "diff"]);
  });
});

describe("the user of a recorded conversation", () => {
  const calls = [
    { tool: "get_user", args: { email: "mia@example.com" } },
    { tool: "cancel_order", args: { order_id: "#W1001", reason: "$1.reason" } },
  ];
  it("tells on asking what it told, and says of itself what it asked for on its way", () => {
    const { user, questions } = recordedUser(
      "Please cancel my order.",
      [
        "Sure, it's mia@example.com.",
        "The order is #W1001. Yes, go ahead.",
        "Could you also tell me the refund?",
        "Thanks!",
      ],
      calls,
    );
    expect(user.knows.map(({ value, says }) => [value, says])).toEqual([
      ["mia@example.com", "Sure, it's mia@example.com."],
      ["#W1001", "The order is #W1001."],
    ]);
    expect(user.adds).toEqual(["Could you also tell me the refund?"]);
    expect(questions).toEqual(["What is the email?", "What is the order?", "Is there anything else?"]);
    const answers: { text: string }[] = [];
    const told: (string | undefined)[] = [];
    for (const text of [
      "Which order?",
      "What is your email?",
      "Shall I go on?",
      "I have cancelled it.",
      "The refund is $5.",
    ]) {
      answers.push({ text });
      told.push(userReply({ request: "Please cancel my order.", turns: [], user }, answers));
    }
    expect(told).toEqual([
      "The order is #W1001.",
      "Sure, it's mia@example.com.",
      "Yes, please go ahead.",
      "Could you also tell me the refund?",
      undefined,
    ]);
  });
  it("does not know before what it was told and agreed to", () => {
    const turns = [
      "I don't have the number handy. Could you look it up?",
      "Yes, please cancel #W1001. Can you tell me the refund?",
    ];
    const { user } = recordedUser("Please cancel my order.", turns, calls);
    expect(user).toEqual({ knows: [], adds: turns });
    expect(userReply({ request: "Please cancel my order.", turns: [], user }, [{ text: "Which order is it?" }])).toBe(
      turns[0],
    );
  });
  it("knows what is its own also where it agrees first, and corrects without agreeing", () => {
    for (const turn of [
      "Yes, my email is mia@example.com. Can you also tell me the refund?",
      "Correct my order #W1001 please, and also tell me the refund.",
    ])
      expect(recordedUser("Please cancel my order.", [turn], calls).user.knows).toHaveLength(1);
  });
  it("knows nothing that its request says, and nothing that the script does not use", () => {
    const { user, questions } = recordedUser(
      "Cancel #W1001 of mia@example.com.",
      ["Yes, #W1001.", "My cat is 9."],
      calls,
    );
    expect(user).toEqual({ knows: [], adds: ["My cat is 9."] });
    expect(questions).toHaveLength(1);
  });
});
