import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { Sealer } from "../../chapters/context.ts";
import { conflict } from "../../chapters/errors.ts";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import { SEALING_CHECK, type SealingKeys } from "../../chapters/sealing-keys.ts";
import { type Config, ConfigError } from "../config.ts";

const VERSION = "v1.";
const NONCE = 12;
const TAG = 16;
const KEY_BYTES = 32;
/** The form of a sealed secret: nonce, tag and body in base64url. */
const SEALED = /^v1\.[\w-]{38,}$/;

/** Where keys are kept: a file of the data folder, or nowhere, since the environment gives them. */
interface KeyLocation {
  readonly file?: string;
}

/**
 * The keys of a workspace, 32 bytes each, the newest first. Secrets are sealed with AES-256-GCM under the newest; all of
 * the keys open. Opening what no key here sealed, or what was changed, throws.
 */
export class KeyRing implements SealingKeys {
  #keys: readonly Buffer[];
  readonly #place: KeyLocation;
  readonly sealer: Sealer;

  constructor(keys: readonly [Buffer, ...Buffer[]], place: KeyLocation = {}) {
    this.#keys = keys;
    this.#place = place;
    this.sealer = { seal: (plain) => seal(this.#newest(), plain), open: (sealed) => this.#open(sealed) };
  }

  isSealed(text: string): boolean {
    return SEALED.test(text);
  }

  isNewest(sealed: string): boolean {
    return opened(this.#newest(), sealed) !== undefined;
  }

  /** A key of the environment is changed there: the new one as SVC_KEY, the one before as SVC_KEY_BEFORE. */
  async add(): Promise<void> {
    if (this.#place.file === undefined) {
      if (this.#keys.length > 1) return;
      throw conflict(
        "The sealing key comes from the environment: set the new one as SVC_KEY, the one before as SVC_KEY_BEFORE, start again, and ask again.",
      );
    }
    this.#write([randomBytes(KEY_BYTES), ...this.#keys]);
  }

  async dropOlder(): Promise<void> {
    if (this.#place.file === undefined) this.#keys = this.#keys.slice(0, 1);
    else this.#write(this.#keys.slice(0, 1));
  }

  #newest(): Buffer {
    return this.#keys[0] as Buffer;
  }

  #open(sealed: string): string {
    if (!sealed.startsWith(VERSION)) throw new Error("not a sealed secret of a known version");
    for (const key of this.#keys) {
      const plain = opened(key, sealed);
      if (plain !== undefined) return plain;
    }
    throw new Error("a sealed secret opens with no key of this workspace");
  }

  /** On disk before in use: a secret is never under a key that a crash can lose. */
  #write(keys: readonly Buffer[]): void {
    const path = this.#place.file as string;
    const draft = `${path}.${randomBytes(6).toString("hex")}`;
    writeKeys(draft, keys);
    renameSync(draft, path);
    this.#keys = keys;
  }
}

function seal(key: Buffer, plain: string): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
}

/** What was sealed, or undefined when this key did not seal it, or it was changed. */
function opened(key: Buffer, sealed: string): string | undefined {
  if (!sealed.startsWith(VERSION)) return undefined;
  const bytes = Buffer.from(sealed.slice(VERSION.length), "base64url");
  if (bytes.length < NONCE + TAG) return undefined;
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE));
    decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** Where keys come from. `keyLost`: the operator gives up what was sealed under a key that is gone. */
export type KeySettings = Pick<Config, "dataDir" | "key" | "keyBefore" | "keyLost">;

/** The environment's keys, the newest first, else those of the data folder's key file; undefined where there is no file. */
function knownKeys({ dataDir, key, keyBefore }: KeySettings): KeyRing | undefined {
  if (key) return new KeyRing(keyBefore ? [key, keyBefore] : [key]);
  const path = join(dataDir, "key");
  const keys = readKeys(path);
  return keys && new KeyRing(keys, { file: path });
}

/** The keys of a folder; its key file is made where there is none. */
export function keyRing(config: KeySettings): KeyRing {
  const path = join(config.dataDir, "key");
  return knownKeys(config) ?? new KeyRing([makeKey(path)], { file: path });
}

/**
 * The keys of a workspace, after they opened what the workspace keeps to know its key by; a workspace without one gets it.
 * Throws ConfigError where the key is lost or another: a new one would seal secrets beside old ones that nobody can open.
 */
export async function workspaceKeys(
  config: KeySettings,
  store: Pick<ServiceStore, "setting" | "putSetting">,
): Promise<KeyRing> {
  const sealed = await store.setting(SEALING_CHECK);
  const known = knownKeys(config);
  if (sealed !== undefined && !config.keyLost && !opens(known, sealed))
    throw new ConfigError(
      `${known ? "The sealing key is not the one" : "There is no sealing key, and there was one"} that this workspace's secrets are sealed under. ` +
        `Bring back the file ${join(config.dataDir, "key")}, or set SVC_KEY (and SVC_KEY_BEFORE) to what it was. ` +
        "If it is gone for good, start once with SVC_KEY_LOST=1: the secrets then have to be given again.",
    );
  const keys = known ?? keyRing(config);
  if (sealed === undefined || !opens(keys, sealed)) await store.putSetting(SEALING_CHECK, keys.sealer.seal(CHECKED));
  return keys;
}

/** What is sealed to know a key by. */
const CHECKED = "the sealing key of this workspace";

function opens(keys: KeyRing | undefined, sealed: string): boolean {
  try {
    return keys?.sealer.open(sealed) !== undefined;
  } catch {
    return false;
  }
}

function readKeys(path: string): [Buffer, ...Buffer[]] | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
  const [newest, ...older] = text
    .trim()
    .split("\n")
    .map((line) => Buffer.from(line.trim(), "hex"));
  if (!newest || [newest, ...older].some((key) => key.length !== KEY_BYTES))
    throw new ConfigError("The key file in the data folder does not hold keys of 32 bytes in hex, one a line.");
  return [newest, ...older];
}

/** A file of mode 0600 that is on disk when this returns. */
function writeKeys(path: string, keys: readonly Buffer[]): void {
  const file = openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    writeSync(file, keys.map((key) => `${key.toString("hex")}\n`).join(""));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Two first starts at once end with one key. */
function makeKey(path: string): Buffer {
  const key = randomBytes(KEY_BYTES);
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  writeKeys(draft, [key]);
  try {
    linkSync(draft, path);
    return key;
  } catch (cause) {
    const theirs = (cause as NodeJS.ErrnoException).code === "EEXIST" ? readKeys(path)?.[0] : undefined;
    if (theirs) return theirs;
    throw cause;
  } finally {
    unlinkSync(draft);
  }
}
