import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { argumentsOf } from "../../src/cli/arguments.ts";
import { reached } from "../../src/cli/environment.ts";
import { readLogin, removeLogin, writeLogin } from "../../src/cli/login-file.ts";
import { suggest } from "../../tools/kernel/suggest.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const properties = {
  n: { type: "integer" },
  flag: { type: "boolean" },
  text: { type: "string" },
  list: { type: "array", items: { type: "string" } },
  rows: { type: "array", items: { type: "object" } },
  body: { type: "object" },
  content: { anyOf: [{ type: "string" }, { type: "array" }, { type: "object" }] },
};
const read = (...pairs: string[]) => argumentsOf(pairs, { properties });

describe("arguments on the command line", () => {
  it("are what the schema has the key as", () => {
    expect(read("n=3", "flag=true", "text=3", "list=a,b")).toEqual({ n: 3, flag: true, text: "3", list: ["a", "b"] });
    expect(read("list=a", "list=b")).toEqual({ list: ["a", "b"] });
    expect(read('rows=[{"a":1},{"b":2}]', 'body={"x":"1,2"}')).toEqual({
      rows: [{ a: 1 }, { b: 2 }],
      body: { x: "1,2" },
    });
    expect(read("n=three")).toEqual({ n: "three" });
    expect(read("text=a=b=c\nd")).toEqual({ text: "a=b=c\nd" });
  });

  it("are JSON after :=, a file's after @, base64 of a file that is no text, and text after @@", () => {
    expect(read("text:=null", 'list:=["a,b"]')).toEqual({ text: null, list: ["a,b"] });
    const json = file("a.json", '[{"a": "x, y"}]');
    expect(read(`content=@${json}`)).toEqual({ content: '[{"a": "x, y"}]' });
    expect(read(`content:=@${json}`)).toEqual({ content: [{ a: "x, y" }] });
    const bytes = Uint8Array.from([0xff, 0xfe, 0]);
    expect(read(`content=@${file("a.bin", bytes)}`)).toEqual({ content: "//4A" });
    expect(read("text=@@me")).toEqual({ text: "@me" });
  });

  it.each([
    ["nme=x", /takes no nme\. .*It takes: n, flag/],
    ["txt=x", /Did you mean text\?/],
    ["words", /key=value/],
    ["body:={", /takes JSON/],
    ["text=@/no/such/file", /no such file/],
  ])("that are written wrongly are refused with what to do: %s", (pair, told) => {
    expect(() => read(pair)).toThrow(told);
  });

  it("refuse one key as text and as JSON", () => {
    expect(() => read("list=a", 'list:=["b"]')).toThrow(/given twice/);
    expect(() => read("constructor=x")).toThrow(/takes no constructor/);
  });
});

it("names that are near are offered, the nearest first, and none where none is", () => {
  const tools = ["whoami", "run_group", "run_groups_list", "job_status"];
  expect(suggest("whoam", tools)).toEqual(["whoami"]);
  expect(suggest("run_gruop", tools)[0]).toBe("run_group");
  expect(suggest("zzzz", tools)).toEqual([]);
});

describe("the stored login", () => {
  const at = join(folder, "config", "login.json");
  const login = { url: "https://svc.example", token: "svc_org_x", org: "acme" };
  it("is a file that its owner alone may read, in a folder of theirs; it is refused where others may", () => {
    expect(readLogin(at)).toBeUndefined();
    writeLogin(login, at);
    expect(statSync(at).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "config")).mode & 0o777).toBe(0o700);
    expect(readLogin(at)).toEqual(login);
    const open = file("open.json", JSON.stringify(login));
    expect(() => readLogin(open)).toThrow(/0600/);
    expect(removeLogin(at)).toBe(true);
    expect(removeLogin(at)).toBe(false);
  });

  it("stands behind what the environment says, and its token goes to no other service", () => {
    const stored = () => login;
    expect(reached({}, stored)).toMatchObject({ SVC_URL: login.url, SVC_TOKEN: login.token, SVC_ORG: "acme" });
    expect(reached({ SVC_TOKEN: "other" }, stored).SVC_TOKEN).toBe(login.token);
    expect(reached({ SVC_DATA_DIR: "/x" }, stored)).toEqual({ SVC_DATA_DIR: "/x" });
    expect(reached({ SVC_URL: "https://elsewhere.example" }, stored).SVC_TOKEN).toBeUndefined();
    expect(reached({ SVC_URL: "https://svc.example/" }, stored).SVC_TOKEN).toBe(login.token);
    expect(reached({ SVC_URL: login.url, SVC_TOKEN: "mine" }, stored).SVC_TOKEN).toBe("mine");
  });
});
