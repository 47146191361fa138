/** An org's tag: 1 to 63 lower-case letters, digits and inner hyphens. */
export const ORG_TAG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** What an org's tag may be, as a sentence. */
export const ORG_TAG_FORM = "An org tag has 1 to 63 lower-case letters, digits and inner hyphens.";
