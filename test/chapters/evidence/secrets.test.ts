import { lintSource } from "@secretlint/core";
import { creator, rules } from "@secretlint/secretlint-rule-preset-recommend";
import { describe, expect, it } from "vitest";
import {
  findSecrets,
  mayHoldHeaders,
  mayHoldSecret,
  stripCredentials,
  suspicionOf,
} from "../../../chapters/evidence/intake/secrets.ts";

const a = (n: number) => "aB3d".repeat(Math.ceil(n / 4)).slice(0, n);
const letters = (n: number) => "aBcd".repeat(Math.ceil(n / 4)).slice(0, n);
const hex = (n: number) => "0a1b2c3d".repeat(Math.ceil(n / 8)).slice(0, n);
const digits = (n: number) => "1234567890".repeat(Math.ceil(n / 10)).slice(0, n);
const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${Array.from({ length: 12 }, (_, i) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj${digits(23)}${i % 10}`).join("\n")}\n-----END ${kind}PRIVATE KEY-----`;

/** Samples that the rules find, made up for each of their patterns. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  aws: [`AWS_SECRET_ACCESS_KEY=${a(38)}/k`, `"secretAccessKey": "${a(40)}"`, `aws_secret_access_key : ${a(40)}`],
  privatekey: [pem("RSA "), pem("")],
  npm: [`npm_${a(36)}`],
  slack: [
    `xoxb-${digits(12)}-${digits(13)}-${a(24)}`,
    `xapp-1-${a(11)}-${digits(13)}-${a(32)}`,
    `https://hooks.slack.com/services/T${a(8)}/B${a(8)}/${a(24)}`,
  ],
  basicauth: [
    `https://${a(12)}:x-oauth-basic@github.com/x/y.git`,
    "https://anna:correcthorse9@shop.internal.io/x",
    "ftp://anna:correcthorse9@files.shop.io",
  ],
  openai: [`sk-${a(20)}T3BlbkFJ${a(20)}`, `sk-proj-${a(74)}T3BlbkFJ${a(74)}`],
  anthropic: [`sk-ant-api03-${a(93)}AA`],
  groq: [`gsk_${a(52)}`],
  huggingface: [`hf_${letters(34)}`],
  linear: [`lin_api_${a(40)}`],
  notion: [`ntn_${digits(11)}${a(35)}`],
  sendgrid: [`SG.${a(22)}.${a(43)}`],
  shopify: [`shpat_${hex(32)}`, `shpss_${hex(32)}`],
  stripe: [`sk_live_${a(24)}`, `rk_live_${a(24)}`],
  github: [`ghp_${a(36)}`, `ghs_${a(36)}`, `github_pat_${a(82)}`],
  gitlab: [`glpat-${a(20)}`],
  grafana: [
    `glc_${Buffer.from('{"o":"1","n":"x","k":"abcdefghijkl","m":{"r":"us"}}').toString("base64")}`,
    `glsa_${a(32)}_${hex(8)}`,
  ],
  "1password": [`ops_${Buffer.from(JSON.stringify({ key: a(123) })).toString("base64")}`],
  "database-connection-string": [
    "postgres://anna:correcthorse9@db.shop.io/main",
    "mongodb+srv://anna:correcthorse9@cluster.shop.io/x",
    "mysql://anna:correcthorse9@db.shop.io:3306/x",
  ],
  "hashicorp-vault": [`hvs.${a(95)}`, `hvb.${a(150)}`],
  vercel: [`vcp_${a(24)}`, `vck_${a(56)}`],
  databricks: [`dapi${hex(32)}`],
  docker: [`dckr_pat_${a(27)}`],
  figma: [`figd_${a(40)}`],
  cloudflare: [`cfut_${a(40)}${hex(8)}`],
  tailscale: [`tskey-auth-${a(16)}-${a(32)}`],
};
/** Rules that find nothing in text of ours: one reads key files by their name, one hears directives. */
const WITHOUT_TEXT = new Set(["gcp", "filter-comments"]);

const short = (rule: string) => rule.replace(/^.*secretlint-rule-/, "");
const ALL = [...Object.values(SAMPLES).flat(), `//registry.npmjs.org/:_authToken=${a(36)}`];
const FILLER =
  "The desk is at flight HAT136; second risk-free task, access line 12 of the figure: https://shop.example/a?b=c. ".repeat(
    30,
  );

async function ruleFinds(content: string): Promise<string[]> {
  const found = await lintSource({
    source: { filePath: "x.txt", ext: ".txt", content, contentType: "text" },
    options: { config: { rules: [{ id: "r", rule: creator, options: {} }] }, noPhysicFilePath: true },
  });
  return found.messages.map((message) => short(message.ruleId));
}

describe("secrets", () => {
  it("has samples for every rule of the preset, and the rules find each", async () => {
    expect(
      rules
        .map((rule) => short(rule.meta.id))
        .filter((rule) => !WITHOUT_TEXT.has(rule))
        .sort(),
    ).toEqual(Object.keys(SAMPLES).sort());
    for (const [rule, samples] of Object.entries(SAMPLES))
      for (const sample of samples)
        expect([sample, await ruleFinds(sample)]).toEqual([sample, expect.arrayContaining([rule])]);
  });

  it("never passes over what the rules find: plain, in a sentence, in JSON, in JSON in JSON, escaped", async () => {
    for (const sample of ALL) {
      const json = JSON.stringify({ text: `line\n${sample}\nline` });
      const escaped = `"${[...sample].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
      const far = `${"é".repeat(65_530)}${FILLER.slice(0, 1 + (sample.length % 11))} ${sample} ${FILLER}`;
      for (const text of [
        sample,
        far,
        `${FILLER} ${sample} ${FILLER}`,
        json,
        JSON.stringify({ args: json }),
        escaped,
      ]) {
        expect([sample, mayHoldSecret(text)]).toEqual([sample, true]);
        expect([text, (await findSecrets(text)).length > 0]).toEqual([text, true]);
      }
    }
  });

  it("finds an address with a password whose slashes are escaped, once or in JSON in JSON", async () => {
    for (const slashes of ["\\/\\/", "\\//", "/\\/", "\\\\/\\\\/", "\\\\//", "/\\\\/", "\\\\\\/\\\\\\/"]) {
      const text = `{"url":"postgres:${slashes}bob:s3cr3tpassw0rd@db.example.com${slashes}x"}`;
      expect([text, await findSecrets(text)]).toEqual([text, ["database-connection-string"]]);
    }
    expect(mayHoldSecret('{"path":"a\\/b","share":"\\\\\\\\host\\\\x"}')).toBe(false);
  });

  it("finds them wherever they lie in memory, first and last in it too", () => {
    for (const sample of ALL) {
      const bytes = Buffer.from(sample);
      const memory = Buffer.alloc(bytes.length + 16, "-");
      for (let from = 0; from < 4; from++) {
        memory.fill("-");
        bytes.copy(memory, from);
        for (const [before, after] of [
          [0, 0],
          [from, 0],
          [0, 3],
        ] as const) {
          const around = memory.subarray(from - before, from + bytes.length + after);
          expect([sample, from, before, suspicionOf(around).secret]).toEqual([sample, from, before, true]);
        }
      }
    }
    expect(suspicionOf(Buffer.from("gh"))).toEqual({ secret: false, headers: false });
    expect(suspicionOf(Buffer.alloc(0))).toEqual({ secret: false, headers: false });
  });

  it("hears no directive of the text that would switch rules off", async () => {
    expect(await findSecrets(`secretlint-disable\n ghp_${a(36)} // secretlint-disable-line`)).toEqual(["github"]);
  });

  it("lets ordinary text pass without asking the rules", async () => {
    expect(mayHoldSecret(FILLER)).toBe(false);
    expect(
      mayHoldSecret(
        JSON.stringify({
          url: "https://shop.example:8080/a@b",
          id: "call_fLxcMYQFvKcOdQNYvY2sKVRr",
          desk: "desk-42 task-7 sk-1",
        }),
      ),
    ).toBe(false);
    expect(await findSecrets(FILLER)).toEqual([]);
  });

  it("passes over no address with a password in another script, nor one at the very end", () => {
    for (const name of ["ж".repeat(256), "字".repeat(256), "𝒳".repeat(128), "anna"])
      expect([name, mayHoldSecret(`${FILLER}ftp://${name}:${name}@files.shop.io`)]).toEqual([name, true]);
    expect(mayHoldSecret(`${FILLER}glpat-`)).toBe(true);
    expect(mayHoldSecret("glpat")).toBe(false);
  });

  it("sees headers and secrets in the same pass", () => {
    const of = (text: string) => suspicionOf(Buffer.from(text));
    const headers = '{"request_headers":{"cookie":"a"}}';
    for (const text of [headers, headers.replace("request_headers", "Headers"), headers.replace("headers", "HEADERS")])
      expect([text, of(text), mayHoldHeaders(text)]).toEqual([text, { secret: false, headers: true }, true]);
    expect(of(`${headers} ghp_${a(36)}`)).toEqual({ secret: true, headers: true });
    expect(of(`ghp_${a(36)} ${headers}`)).toEqual({ secret: true, headers: true });
    expect(of('{"orders":[],"leaders":1}')).toEqual({ secret: false, headers: true });
    expect(mayHoldHeaders('{"orders":[],"leaders":1}')).toBe(false);
    expect(of('{"orders":[]}')).toEqual({ secret: false, headers: false });
  });

  it("strips credentials in headers of captures, as objects and as lists of pairs, and counts them", () => {
    const { value, stripped } = stripCredentials({
      headers: { Authorization: "Bearer abc", accept: "x", Cookie: ["a=1"] },
      request: {
        headers: [
          { name: "X-Api-Key", value: "k" },
          { name: "accept", value: "y" },
        ],
      },
      authorization: "stays: no header",
    });
    expect(stripped).toBe(3);
    expect(value).toEqual({
      headers: { Authorization: "", accept: "x", Cookie: "" },
      request: {
        headers: [
          { name: "X-Api-Key", value: "" },
          { name: "accept", value: "y" },
        ],
      },
      authorization: "stays: no header",
    });
  });
});
