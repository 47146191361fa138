import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";

/** A mail server on loopback that keeps what it is given. */
export interface MailServer {
  /** As the operator would set it, with the credential. */
  readonly url: string;
  readonly mails: { readonly from: string; readonly to: readonly string[]; readonly mail: ParsedMail }[];
  /** Recipients that are refused with this SMTP reply code. */
  refuse(address: string, code: number): void;
  close(): Promise<void>;
}

/** Starts a mail server that takes one user's mail. */
export async function startMailServer(): Promise<MailServer> {
  const mails: MailServer["mails"] = [];
  const refusals = new Map<string, number>();
  const server = new SMTPServer({
    authMethods: ["PLAIN", "LOGIN"],
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === "svc" && password === "mail-pass"
        ? done(null, { user: username })
        : done(Object.assign(new Error("bad credential"), { responseCode: 535 })),
    onRcptTo: ({ address }, _session, done) => {
      const code = refusals.get(address);
      if (code === undefined) done();
      else done(Object.assign(new Error("not taken"), { responseCode: code }));
    },
    onData: (stream, session, done) => {
      void simpleParser(stream).then((mail) => {
        const from = session.envelope.mailFrom;
        mails.push({
          from: from === false ? "" : from.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          mail,
        });
        done();
      }, done);
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://svc:mail-pass@127.0.0.1:${port}`,
    mails,
    refuse: (address, code) => void refusals.set(address, code),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
