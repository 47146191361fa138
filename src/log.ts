import pino from "pino";
import type { Log } from "../chapters/context.ts";
import type { Config } from "./config.ts";

const TOKEN = /svc_(op|org|world|door|share|invite|session)_[\w-]{8,}/g;

/** The log: JSON lines on standard error. Anything that looks like one of our tokens is cut to its kind, wherever it stands. */
export function createLog(level: Config["logLevel"]): Log {
  const destination = pino.destination({ dest: 2, sync: true });
  const redacting = { write: (line: string) => destination.write(redact(line)) };
  return pino({ level, base: null, serializers: { err: pino.stdSerializers.err } }, redacting);
}

/** A text with every token of ours replaced by its kind. */
export function redact(text: string): string {
  return text.replace(TOKEN, "svc_$1_[redacted]");
}
