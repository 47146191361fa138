/** Questions as people put them, by the operator's command that does what they ask, a bar between two. */
export const OPERATOR_QUESTIONS: Readonly<Record<string, string>> = {
  create_org:
    "how do I make a new org | set up another workspace | create an organization for another team | we have a second team that should not see our data, how do I make a workspace for it | how do I add another organisation | a second customer should get a workspace of its own",
  restore_org:
    "how do I restore an org from its archive | bring a backup back | recover a deleted workspace | we deleted the org by mistake and have an archive, how do we get it back | load an archive of the workspace into a new server | how do I restore from a backup | I have the archive of an org, how do I load it into this service",
  invite_member:
    "how do I get a sign in link for a member | somebody lost the console link | send the login link again | my colleague cannot sign in to the console any more, how do I get him a new link | how does a member get into the console | I am locked out of the console, how do I get a new link",
  erase_trace:
    "how do I erase one trace | delete a single session for good | remove one conversation from the evidence | one conversation contains something that must not be stored, how do I delete it | how do I delete a trace | delete one session | how can a single recording be removed | a trace has a password in it, how do I get it out | a single recording has to disappear for good | one conversation must not be in here, how do I get rid of it",
  erase_person:
    "how do I delete a customer's data | a customer wants to be forgotten | gdpr erasure request | remove everything about a person | right to be forgotten | a user asks us to erase what we know of them | how do we comply with a deletion request | remove one customer from the traces | get rid of the traces of one customer who asked to be forgotten | how do I fulfil a deletion request of a customer | a customer asked us to delete everything about him, what do I do | how do I remove a person's data under gdpr | a user has withdrawn consent, how do we delete her data | delete all traces of one customer | somebody has asked us to delete all that we know of him | a customer uses his right to be forgotten, what do I do | a person wants to be removed from all recordings | which command erases one individual from everything stored | we received a deletion request under gdpr, what now | all data about one customer has to disappear | everything about a certain person has to go",
  set_retention:
    "how do I delete old traces automatically | how long are traces kept | set the retention | keep evidence for 30 days only | when is old data deleted | how long is data kept | how long do you keep our traces | when do old traces go away | how do I get rid of all traces older than 30 days | erase traces after a while | how long do you keep our data | when will our traces be deleted | delete old data after a time | how can I have old data deleted by itself | how long do our traces stay in your store and can I shorten that | traces must not be kept longer than three months, how do I set that | how do I make old sessions disappear by themselves | how can I limit how long data is stored | delete traces after 90 days | how do I change how long evidence is kept | recordings should be thrown away after three months | how do I have old sessions deleted by themselves",
  set_obs_write:
    "set the credential for writing to datadog | let findings be written to the observability vendor | how do I allow you to write into our datadog | enter the datadog key for writing | let you write into our datadog",
  rotate_anon_key:
    "rotate the key of pseudonyms | new anonymization key | how do I get a new key for pseudonyms | change the key by which names are made anonymous",
  rotate_key:
    "how do I rotate the encryption key | change the sealing key | renew the master key of secrets | the encryption key may have leaked, how do I exchange it | change the key that secrets are encrypted with | we must change the key with which secrets are sealed",
  verify_audit:
    "has the audit log been tampered with | verify the audit chain | is the audit trail intact | how can I prove that nobody changed the audit log | an auditor asks whether the log is complete, how do I check it",
};
