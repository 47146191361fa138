import { parse } from "node-html-parser";
import { describe, expect, it } from "vitest";
import { chatMessage } from "../../../../chapters/findings/render/chat.ts";
import { inert } from "../../../../chapters/findings/render/inert.ts";
import { mailMessage } from "../../../../chapters/findings/render/mail.ts";
import { obsPayloads } from "../../../../chapters/findings/render/obs.ts";
import { COMMENT_MARKER, prComment } from "../../../../chapters/findings/render/pr-comment.ts";
import { basis, headline } from "../../../../chapters/findings/render/sentences.ts";
import { HOSTILE, hostileFinding } from "./kit.ts";

/** Every rendering as the one text that a reader meets. */
function everyRendering(some = {}): Record<string, string> {
  const finding = hostileFinding(some);
  const mail = mailMessage(finding);
  const { event, notebook, experiment } = obsPayloads(finding);
  return {
    chat_text: chatMessage(finding).text,
    chat_blocks: JSON.stringify(chatMessage(finding).blocks),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    pr: prComment(finding),
    event: `${event.title}\n${event.text}`,
    notebook: JSON.stringify(notebook),
    experiment: JSON.stringify(experiment),
  };
}

describe("every rendering", () => {
  it.each(Object.entries(everyRendering()))("of hostile text makes no link or mention: %s", (_name, text) => {
    expect(text).not.toMatch(/:\/\/evil/);
    expect(text).not.toMatch(/@everyone|<@U123|a@evil/);
    expect(text).not.toMatch(/www\.evil/);
    expect(text).not.toContain("<img");
    expect(text).not.toContain("\u202e");
    expect(text).not.toMatch(/#123/);
  });

  it.each(Object.entries(everyRendering()))("says which arm met less: %s", (_name, text) => {
    expect(text.replaceAll("\\", "")).toContain("33.3 points less");
  });

  it.each(Object.entries(everyRendering()).filter(([name]) => !["chat_text", "subject", "experiment"].includes(name)))(
    "says its tier and its n: %s",
    (_name, text) => {
      expect(text).toContain("Tier deterministic, n = 12");
      expect(text).toContain("wrong_argument");
    },
  );

  it.each(Object.entries(everyRendering({ example: true })))(
    "says that stand-in data is invented: %s",
    (name, text) => {
      expect(text.toLowerCase()).toContain("invented example data");
      expect(everyRendering()[name]?.toLowerCase()).not.toContain("invented");
    },
  );
});

it("a finding in which nothing is decided says no confidence of 0", () => {
  const undecided = { words: "no difference shown", confidence: 0, difference: 0, p: 1 } as const;
  const told = basis({ ...hostileFinding(), ...undecided });
  expect(told).toContain("p 1.0, not decided: no difference shown.");
  expect(basis(hostileFinding())).toContain("confidence 96 (shown).");
});

describe("chat", () => {
  it("fits the limits of a message, whatever the text", () => {
    const long = "word ".repeat(2000);
    const { blocks } = chatMessage(
      hostileFinding({
        tested: { ...hostileFinding().tested, name: long, version: long },
        tasks: Array.from({ length: 5 }, () => ({ ...hostileFinding().tasks[0]!, request: long })),
        url: "https://svc.example/f/1",
      }),
    );
    expect(blocks.length).toBeLessThan(50);
    for (const block of blocks) {
      if (block.type === "header") expect(block.text.text.length).toBeLessThanOrEqual(150);
      if (block.type === "section") expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(3000);
    }
    expect(blocks.at(-1)).toMatchObject({ type: "actions", elements: [{ url: "https://svc.example/f/1" }] });
  });

  it("puts no markup object around other people's text", () => {
    expect(JSON.stringify(chatMessage(hostileFinding()).blocks)).not.toContain("mrkdwn");
  });
});

describe("mail", () => {
  it("has a subject of one line, and HTML without script, image or link but ours", () => {
    const mail = mailMessage(hostileFinding({ url: "https://svc.example/f/1" }));
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(mail.subject.length).toBeLessThanOrEqual(180);
    const page = parse(mail.html);
    expect(page.querySelectorAll("script,img,style,link,iframe")).toEqual([]);
    expect(page.querySelectorAll("a").map((a) => a.getAttribute("href"))).toEqual(["https://svc.example/f/1"]);
    expect(parse(mailMessage(hostileFinding()).html).querySelectorAll("a")).toEqual([]);
  });
});

describe("a pull-request comment", () => {
  it("begins with the mark it is found by, and keeps its table whole", () => {
    const text = prComment(hostileFinding());
    expect(text.split("\n")[0]).toBe(COMMENT_MARKER);
    const rows = text.split("\n").filter((line) => /^\| (main|tested)/.test(line));
    expect(rows.map((row) => row.split(/(?<!\\)\|/).length)).toEqual([5, 5]);
    // What reads tables aloud names a column by its head.
    expect(text).not.toMatch(/\| *\|/);
  });
});

describe("the observability payloads", () => {
  it("fit the vendor's limits and cite the trials", () => {
    const { event, notebook, experiment } = obsPayloads(hostileFinding({ example: true }));
    expect(event.title.length).toBeLessThanOrEqual(100);
    expect(event.text.length).toBeLessThanOrEqual(4000);
    expect(event.text.startsWith("%%%\n") && event.text.endsWith("\n%%%")).toBe(true);
    expect(event).toMatchObject({ alert_type: "error", date_happened: 1_790_000_000 });
    expect(event.tags).toContain("invented_example_data:true");
    expect(notebook.data.attributes.name.length).toBeLessThanOrEqual(80);
    for (const text of [event.text, JSON.stringify(notebook), JSON.stringify(experiment)])
      expect(text).toContain("run_1");
  });
});

describe("the headline", () => {
  const say = (some: object) => headline(hostileFinding(some), (text) => (text === HOSTILE ? "agent" : text));
  it("says what was shown and no more", () => {
    expect(say({})).toBe("agent agent meets 33.3 points less than agent 1.0.");
    expect(say({ difference: 0.5 })).toBe("agent 1.0 meets 50.0 points less than agent agent.");
    expect(say({ words: "leaning" })).toBe("Leaning: agent agent meets 33.3 points less than agent 1.0.");
    expect(say({ words: "no difference shown" })).toBe("No difference shown between agent agent and agent 1.0.");
    expect(say({ n: 0 })).toContain("Cannot tell");
  });
});

describe("inert text", () => {
  it("reads the same and stays short", () => {
    expect(inert("Order 12, please.").replaceAll("\u200b", "")).toBe("Order 12, please.");
    expect([...inert("\u{1f600}".repeat(500), 10)]).toHaveLength(10);
    expect(inert("a\r\nb\u0000c")).toBe("a b c");
    expect(inert("x \ud800 y")).toBe("x \ufffd y");
  });
});
