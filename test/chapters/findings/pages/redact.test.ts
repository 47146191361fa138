import { describe, expect, it } from "vitest";
import { SharedWords } from "../../../../chapters/evidence/anonymize/shared-words.ts";
import { redacted } from "../../../../chapters/findings/pages/redact.ts";

/** What a key is made of: put together here, so that no scanner takes this file for a leak. */
const R = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
const HEX = "0123456789abcdef0123456789abcdef";
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const JWT = `${encoded({ alg: "HS256" })}.${encoded({ sub: "1234567890" })}.${R.slice(0, 22)}`;
const PEM = `-----BEGIN RSA PRIVATE ${"KEY"}-----\nMIIEowIBAAKCAQEA7\nabcd\n-----END RSA PRIVATE ${"KEY"}-----`;

/** Keys in the places that they are pasted in, each with what must not be left of it. */
const KEYS: readonly (readonly [text: string, gone: string])[] = [
  [`key:${"AKIA"}Z7QWERTY12345678,`, "Z7QWERTY"],
  [`_${"AKIA"}Z7QWERTY12345678_`, "Z7QWERTY"],
  [`${"AKIA"}\u200bZ7QWERTY12345678`, "Z7QWERTY"],
  [`aws_secret_access_${"key"} = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzEXAMPLEK`, "EXAMPLEK"],
  [`AWS_SECRET_ACCESS_${"KEY"}=wJalrXUtnFEMIK7MDENGbPxRfiCYzzEXAMPLEKEYA`, "EXAMPLEK"],
  [`AWS_SESSION_${"TOKEN"}=IQoJb3JpZ2luX2VjEJr//////////wEaCXVzLWVhc3Qt`, "IQoJ"],
  [JWT, JWT.slice(0, 20)],
  [`token_${JWT}`, JWT.slice(0, 20)],
  [`https://example.com/?t=${JWT}`, JWT.slice(0, 20)],
  [`${"sk"}-proj-${R}`, R],
  [`s\u200bk-proj-${R}`, R],
  [`${"sk"}-abcdefghijklmnopqrst`, "abcdefghijkl"],
  [`SK-ABCDEFGHIJKLMNOPQRST`, "ABCDEFGHIJKL"],
  [`${"sk"}-ant-api03-${R}`, R],
  [`AIza${R.slice(0, 35)}`, R.slice(0, 35)],
  [`ya29.a0AfH6SMBx-1234567890abcdefghijklmnop`, "a0AfH6"],
  [`${"GOCSPX"}-1234567890abcdefghijklmnopqr`, "1234567890"],
  [`github_${"pat"}_11ABCDEFG0${R}${R}`, R],
  [`${"whsec"}_${R.slice(0, 32)}`, R.slice(0, 32)],
  [`${"key"}-${HEX}`, HEX],
  [`SK${HEX}`, HEX],
  [`123456789:AA${R.slice(0, 33)}`, R.slice(0, 33)],
  [`${"MTIzNDU2Nzg5MDEyMzQ1Njc4"}.GabcDe.${R.slice(0, 27)}`, R.slice(0, 27)],
  [`${"pypi"}-AgEIcHlwaS5vcmc${R}`, R],
  [`${"dop"}_v1_${HEX}${HEX}`, HEX],
  [`AUTHORIZATION: BEARER ${R}`, R],
  [`Authorization: Basic dXNlcjpwYXNzd29yZDEyMw==`, "dXNlcjpw"],
  [`Cookie: session=abc; other=def123`, "def123"],
  [`password: Tr0ub4dor&3xyz`, "Tr0ub4dor"],
  [`"api_key": "${R.slice(0, 32)}"`, R.slice(0, 32)],
  [`AccountKey=${Buffer.from(R).toString("base64")}`, Buffer.from(R).toString("base64").slice(0, 20)],
  [`https://a.example.com/c?sv=2020&sig=QTFiMkMzZDRFNWY2RzdoOEk5%3D`, "QTFiMkMz"],
  [PEM, "MIIEow"],
  [`https://svc.example.com/d/${R}`, R],
];

const CONTACTS: readonly (readonly [text: string, gone: string])[] = [
  ["o'brien@example.com", "brien"],
  ["jörg@müller.de", "jörg"],
  ["[x](mailto:ann@example.com)", "ann@"],
  ["ann\\_lee@example.com", "ann"],
  ["ann at example dot com", "example dot"],
  ["ann [at] example [dot] com", "[at]"],
  ["ann%40example.com", "ann"],
  ["ann&#64;example.com", "ann"],
  ["ann\u200b@example.com", "example"],
  ["ann＠example.com", "example"],
  ["Call 555-123-4567.", "4567"],
  ["**555-123-4567**", "4567"],
  ["555\u2011123\u20114567", "4567"],
  ["1-800-555-0199", "0199"],
  ["030 1234567", "1234567"],
  ["0171/2345678", "2345678"],
  ["0049 30 1234567", "1234567"],
  ["+49\u00a030\u00a01234567", "1234567"],
  ["+49/30/1234567", "1234567"],
  ["+４９ ３０ １２３４５６７", "67"],
  ["020 7946 0958", "0958"],
  ["06 12 34 56 78", "56"],
  ["06.12.34.56.78", "56"],
  ["090-1234-5678", "5678"],
  ["(11) 91234-5678", "5678"],
  ["phone number is 5551234567", "5551234567"],
  ["4111 1111 1111 1111", "1111"],
  ["DE89 3704 0044 0532 0130 00", "0532"],
  ["078-05-1120", "1120"],
  ["203.0.113.42", "113"],
];

describe("what is taken out of a text that is shared", () => {
  it.each(KEYS)("a key: %j", async (text, gone) => {
    const { text: left, secrets } = await redacted(`It said ${text} to them.`, { contacts: true });
    expect(left).not.toContain(gone);
    expect(left).toMatch(/^It said /);
    expect(secrets).toBeGreaterThan(0);
  });

  it.each(CONTACTS)("what leads to a person: %j", async (text, gone) => {
    const { text: left, contacts } = await redacted(`It said ${text} to them.`);
    expect(left).not.toContain(gone);
    expect(contacts).toBe(1);
    expect((await redacted(`It said ${text} to them.`, { contacts: true })).contacts).toBe(0);
  });

  it.each([
    "83.4 % of 3,456,789 tokens, 12 345 678 calls, $1,234.56, p = 0.000123, 2.5e-10, [0.512, 0.734]",
    "2026-11-24 12:40:09, 06.12.2026 10:15, 12:30-13:45, in (2023) 100-200, 10-20-30, 100 200 300",
    "run_01m86r4kn0kny6cen1vbhwxcaw on env_01m86r4fh99ckrvg3c0dgt88rp, commit 946c5fe4a, #W2378156",
    `sha256:${HEX}${HEX}, 1795522973, version 2.1.0, v1.22.333.4444, ISO 8601-1:2019, 127.0.0.1:7333`,
    "sk-learn, @scope/package@0.2.0, Qwen2.5-Coder-32B-Instruct, Meta-Llama-3-70B-Instruct-2024-Q4_K_M",
    "token: 12345678, Authorization: Bearer TOKEN, basic understanding, bearer of bad news, tokens=512",
    "123-456-789, 1234-5678-9012-3456, 1.2.3, 20 of 20 45 of 45 67 of 100, at noon dot matrix",
  ])("figures, ids and plain words stay: %j", async (text) => {
    expect(await redacted(text)).toEqual({ text, secrets: 0, contacts: 0 });
  });
});

describe("names and ids of rows in what a member wrote", () => {
  const words = new SharedWords();
  words.learn({
    customers: [
      { customer_id: "green_may_12", name: { first: "May", last: "Green" }, address: { city: "Oakdale" } },
      { customer_id: "CUST-00417", name: { first: "Jörg", last: "Müller" } },
      { customer_id: "li_wei_9", name: { first: "Wei", last: "Li" } },
      { customer_id: "c3", full_name: "Łukasz Żak" },
      { customer_id: "c4", full_name: "Анна Иванова" },
    ],
    orders: [{ order_id: "#W2378156", customer_id: "green_may_12" }],
  });

  it.each([
    ["May Green", "Xxx Xxxxx"],
    ["**May** **Green**", "**Xxx** **Xxxxx**"],
    ["M\u200bay Gr\u200been", "Xxx Xxxxx"],
    ["jörg müller", "xxxx xxxxxx"],
    ["Jo\u0308rg Mu\u0308ller", "Xxxx Xxxxxx"],
    ["Jorg Muller", "Xxxx Xxxxxx"],
    ["Li Wei", "Xx Xxx"],
    ["Mr. Li", "Mr. Xx"],
    ["Lukasz Zak", "Xxxxxx Xxx"],
    ["анна иванова", "xxxx xxxxxxx"],
    ["green_may_12", "xxxxx_xxx_00"],
    ["order W2378156", "order X0000000"],
    ["cust-00417", "xxxx-00000"],
  ])("%j is masked", (text, masked) => {
    expect(words.written(`We saw ${text} there.`)).toBe(`We saw ${masked} there.`);
  });

  it.each(["green light, and it may go on", "می\u200cخواهم", "Li-ion", "W2378157", "the wei of it", "May 2026"])(
    "%j stays",
    (text) => {
      expect(words.written(`We saw ${text} there.`)).toBe(`We saw ${text} there.`);
    },
  );
});
