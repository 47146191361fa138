/** The setting of the workspace that holds a known text under its sealing key, by which a start knows whether the key is the right one. */
export const SEALING_CHECK = "sealing_check";

/** The keys that secrets are sealed with, as the host holds them: the newest first. */
export interface SealingKeys {
  /** Seals with the newest key and opens with any that is held. */
  readonly sealer: { seal(plain: string): string; open(sealed: string): string };
  /** Whether a text is a sealed secret in form. */
  isSealed(text: string): boolean;
  /** Whether a sealed secret is under the newest key already. */
  isNewest(sealed: string): boolean;
  /** Puts a new key before those that are held, on disk first. */
  add(): Promise<void>;
  /** Forgets every key but the newest. */
  dropOlder(): Promise<void>;
}
