import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { closeSync, constants, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Sealer } from "../chapters/context.ts";
import { ConfigError } from "./config.ts";

const VERSION = "v1.";
const NONCE = 12;
const TAG = 16;

/** Seals with AES-256-GCM under a key of 32 bytes. Opening what another key sealed, or what was changed, throws. */
export function createSealer(key: Buffer): Sealer {
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open(sealed) {
      if (!sealed.startsWith(VERSION)) throw new Error("not a sealed secret of a known version");
      const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
      if (bytes.length < NONCE + TAG) throw new Error("a sealed secret was cut short");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE));
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString("utf8");
    },
  };
}

/** The data folder's key, made at the first start with mode 0600. Two first starts at once end with one key. */
export function keyOf(dataDir: string): Buffer {
  const path = join(dataDir, "key");
  return readKey(path) ?? makeKey(path);
}

function readKey(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
  const key = Buffer.from(text.trim(), "hex");
  if (key.length !== 32) throw new ConfigError("The key file in the data folder does not hold 32 bytes in hex.");
  return key;
}

function makeKey(path: string): Buffer {
  const key = randomBytes(32);
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  const file = openSync(draft, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    writeSync(file, `${key.toString("hex")}\n`);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
    return key;
  } catch (cause) {
    const theirs = (cause as NodeJS.ErrnoException).code === "EEXIST" ? readKey(path) : undefined;
    if (theirs) return theirs;
    throw cause;
  } finally {
    unlinkSync(draft);
  }
}
