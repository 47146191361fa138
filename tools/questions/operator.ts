/** Questions as people put them, by the operator's command that does what they ask, a bar between two. */
export const OPERATOR_QUESTIONS: Readonly<Record<string, string>> = {
  create_org: "how do I make a new org | set up another workspace | create an organization for another team",
  restore_org: "how do I restore an org from its archive | bring a backup back | recover a deleted workspace",
  invite_member:
    "how do I get a sign in link for a member | somebody lost the console link | send the login link again",
  erase_trace:
    "how do I erase one trace | delete a single session for good | remove one conversation from the evidence",
  erase_person:
    "how do I delete a customer's data | a customer wants to be forgotten | gdpr erasure request | remove everything about a person | right to be forgotten | a user asks us to erase what we know of them | how do we comply with a deletion request | remove one customer from the traces | get rid of the traces of one customer who asked to be forgotten | how do I fulfil a deletion request of a customer",
  set_retention:
    "how do I delete old traces automatically | how long are traces kept | set the retention | keep evidence for 30 days only | when is old data deleted | how long is data kept | how long do you keep our traces | when do old traces go away | how do I get rid of all traces older than 30 days | erase traces after a while | how long do you keep our data | when will our traces be deleted | delete old data after a time | how can I have old data deleted by itself | how long do our traces stay in your store and can I shorten that",
  set_obs_write: "set the credential for writing to datadog | let findings be written to the observability vendor",
  rotate_anon_key: "rotate the key of pseudonyms | new anonymization key",
  rotate_key: "how do I rotate the encryption key | change the sealing key | renew the master key of secrets",
  verify_audit: "has the audit log been tampered with | verify the audit chain | is the audit trail intact",
};
