import { afterAll, beforeAll, expect, it } from "vitest";
import { mailMessage } from "../../chapters/findings/render/mail.ts";
import { mailVendor } from "../../src/vendors/mail.ts";
import { hostileFinding } from "../chapters/findings/render/kit.ts";
import { type MailServer, startMailServer } from "../helpers/vendors/mail.ts";

const { signal } = new AbortController();
let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());

it("hands a mail over SMTP to one person, with both parts and no header of the text's own", async () => {
  const vendor = mailVendor({ url: server.url, from: "svc@example.com" });
  const { id } = await vendor.send({ to: "ann@example.com", ...mailMessage(hostileFinding()) }, signal);
  expect(id).toMatch(/^<.+@.+>$/);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: "svc@example.com", to: ["ann@example.com"] });
  expect(mail?.mail.bcc).toBeUndefined();
  expect(mail?.mail.subject).toBe(mailMessage(hostileFinding()).subject);
  expect(mail?.mail.text).toContain("33.3 points less");
  expect(mail?.mail.html).toContain("33.3 points less");
});

it("tells a refused recipient from one to try later, and a wrong credential", async () => {
  const vendor = mailVendor({ url: server.url, from: "svc@example.com" });
  const to = (address: string) => vendor.send({ to: address, subject: "s", text: "t", html: "h" }, signal);
  server.refuse("no@example.com", 550);
  server.refuse("later@example.com", 451);
  await expect(to("no@example.com")).rejects.toMatchObject({ code: "unprocessable" });
  await expect(to("later@example.com")).rejects.toMatchObject({ code: "unavailable" });
  const wrong = mailVendor({ url: server.url.replace("mail-pass", "other"), from: "svc@example.com" });
  await expect(wrong.send({ to: "a@example.com", subject: "s", text: "t", html: "h" }, signal)).rejects.toMatchObject({
    code: "unprocessable",
    reason: expect.stringContaining("SVC_MAIL_URL"),
  });
});

it("says what the operator has to set", async () => {
  const vendor = mailVendor({ url: undefined, from: undefined });
  expect(vendor.provider).toEqual({ env: "SVC_MAIL_URL", set: false });
  await expect(vendor.send({ to: "a@b.c", subject: "s", text: "t", html: "h" }, signal)).rejects.toMatchObject({
    code: "unprocessable",
    reason: expect.stringContaining("SVC_MAIL_URL"),
  });
});
