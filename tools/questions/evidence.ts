/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const EVIDENCE_QUESTIONS: Readonly<Record<string, string>> = {
  evidence_post:
    "how do I upload traces | send my logs | push sessions | add evidence | how do I get my data in | upload an openapi file | import conversations | which format do traces need | load a database export | how do I import from a csv | how do I give you our conversations | how do I upload a pdf with our policies | add more traces | upload a document | how do I get our chat logs into this | how can I hand over a trace file | where do I put my traces | how do I submit conversations | what is the way to bring in new recordings | how do we send you production traffic | upload conversations | how do I send data | how can I add data",
  evidence_list:
    "how many traces do we have | what evidence is stored | list uploaded files | how many sessions are recorded | how much data do we have | what did we upload | which trace batches are there | what recordings exist | how many conversations do we have | number of tool calls in the evidence | which documents were uploaded | how many traces do I have | how many conversations did you read | what data do you have from us | which documents have been uploaded | which files did we upload | how many recordings are there | what evidence is there | which agent produced these traces | what have I uploaded so far | how much data is there | show my uploads | how large is our dataset | how many tool calls are in my traces | number of calls stored | what formats did you receive | in which format did our traces come | how many records came in with the last upload | which format was our export recognised as | total number of recorded tool calls | count of stored conversations | how many chats have you got from us | how much of our data have you read | which uploads do you have | number of traces in the store | what files have you received from us | how many sessions do you hold | do you have any of our data | what was in the files that we gave you | how many logs are stored | total traces | what data have we given you | which data do you base this on | on how many conversations is this based | amount of data in here | how many interactions were uploaded | traces count | how many log files did we send | how many records do you have of us | how much evidence is there | what is the data made of | which formats do our uploads have",
  corpus_post: "add public requests | store public questions people ask agents",
  corpus_get: "what is in the corpus | how many public requests are on record | which licences does the corpus have",
  corpus_derive: "derive use cases from the corpus | read the public requests",
  corpus_policy_get: "does public demand shape our datasets | what is the corpus policy",
  corpus_policy_put: "let public demand shape the datasets | set the corpus policy",
  pipeline_post:
    "how do I build tasks from traces | compile my traces into a world | run the pipeline | build the environment | create a benchmark from my logs | turn traces into tests | how do I make the fake world | how do I make tests out of our logs | make tasks from our traces | turn our logs into a benchmark",
  pipeline_get:
    "did the pipeline run | list pipeline runs | what did the last pipeline make | when was the pipeline last run | status of the pipeline",
  evidence_get:
    "read an evidence record | show one batch of traces | what is in the last upload | show a trace | what were the first requests",
  evidence_assign:
    "say which agent traces belong to | assign evidence to a version | mark evidence as superseded | replace an old upload",
  reconvert_evidence: "convert pulled traces again | reconvert the vendor's traces",
  evidence_toolspec:
    "which values do parameters take | how are tool parameters used | what arguments are passed to the tools | which values does a parameter have in the traces | what values does the status parameter take | which arguments do calls pass | typical arguments of a tool | which parameters does a tool usually receive | with what arguments is the search tool called | what inputs do the tools get | which values are passed most often | which options of the tool do calls use",
  evidence_attributes_post: "file attributes of traces | tag traces with fields | store what was read of traces",
  evidence_attributes_get:
    "which attributes do the traces have | what was read of each trace | trace by trace attributes",
  evidence_extract: "how do I read attributes out of traces | extract facts from documents | let the evidence be read",
  evidence_extraction_get:
    "what did the documents contribute | which statements were taken from documents | what was learned from the docs | what rules were taken out of our policy document | what did you learn from our documents | which policies were found in the docs | which documents did we give you and what did you take out of them | what was read in our documents | what did you learn from the handbook that we uploaded",
  evidence_re_extract: "read documents anew | extract documents again",
  facets_post: "how do I group traces | cluster the sessions | find groups of similar conversations",
  facets_list: "which groupings of traces are there | list clusters | are the traces clustered",
  facets_get: "read a grouping | show the groups of traces | what clusters do the conversations form",
  evidence_match:
    "how many traces match a selection | filter traces by attribute | search in the traces for words | find sessions by a filter | find conversations where the customer wanted a refund | which traces talk about delivery | show sessions with an error | search the logs for a word | traces in which someone complained | conversations with the word refund | find the conversations with angry customers | show conversations where a refund failed",
  worldplan_post: "make a plan from selected traces | mint a worldplan | build tasks from some traces only",
  worldplan_coverage: "make plans that cover all traces | mint worldplans that cover a record",
  after_ingest_get:
    "what does the new evidence call for | are there proposals after the upload | is there something new in the traces | do new traces need a rebuild | which new operations appeared | is the sandbox up to date with our traces | was the newest evidence used already | do we have to compile again",
  after_ingest_post: "look through new evidence now | start a pass over new traces",
  after_ingest_accept: "accept a proposal | do what was proposed after new evidence",
  after_ingest_dismiss: "dismiss a proposal | ignore what was proposed after ingest",
  org_changes_get:
    "what changed recently | what happened yesterday | what is new | recent activity | what changed in the workspace | who changed the environment | history of changes | what happened this week | changes since monday | activity log | what did my colleagues do | has anyone changed the settings recently | what happened overnight | what changed while I was away | what is new since yesterday | who changed something | latest changes | who did what last week | what did people do in here | when was something last changed | show recent edits | who changed the budget | was anything changed in the settings | what happened while I was on vacation | what did I miss last week | who changed the org settings recently | what was altered in the last days | show the audit log | who did what in here | which actions were taken yesterday | what has been modified lately | tell me the latest activity | recent events in the workspace | what did the team do this week | who touched the configuration | audit trail of the workspace | has anyone raised the spending limit lately | was anybody working in here yesterday | what was done today | what is different since last week | what has changed in the last few days | who edited what | what did others do while I was away | latest actions",
  failure_mode_proposals:
    "what feedback did people give | read the feedback notes | what do users complain about | which complaints came in | show comments from people | what did people say about the agent | what did users report | what have people reported | which complaints are waiting to be dealt with | what are users unhappy about | what negative feedback did we get | feedback from customers | what did the support team report | latest complaints | what do people say about our bot | which reports came from people | comments on the agent's answers | complaints | what are people complaining about | what feedback is there | which remarks did users leave | complaints of customers that nobody has looked into | what has been said about the agent by people | what have testers and users told us about the agent",
  record_feedback:
    "how do I leave feedback | note that an answer was wrong | write down what a person said | save a comment",
  make_failure_modes: "the agent does this wrong again and again | make a failure mode of a note",
  reports_ledger: "how much feedback was read | how many notes are waiting | count the feedback",
  feedback_retire: "take a note off the list | delete feedback | remove a comment",
  feedback_derive: "derive proposals from feedback | what does the feedback speak for | turn feedback into criteria",
  statements_list: "what did people state about how the agent is used | list statements",
  statements_post: "say how my agent is used | describe our use cases in words | tell you what the agent is for",
  statements_derive: "read a statement into use cases | derive use cases from a statement",
  labels_get:
    "which traces were labelled | how many labels do we have | which traces were marked wrong | human ratings of traces | thumbs up and down | share of good traces in production | which conversations got a thumbs down | what did people rate badly | show the ratings | which conversations have been labelled as bad | which traces did people rate",
  labels_post:
    "how do I label traces | mark a trace as wrong | send thumbs down by webhook | upload corrections | how do I rate a conversation | give a thumbs up | say that a conversation went wrong | label by hand",
  labels_policy_get: "are tasks mined from production traces alone | what is the labels policy",
  labels_policy_put: "mine tasks from production traces only | set the labels policy",
  org_records: "how many records of each kind are there | list all kinds of records | ids of everything stored",
  org_record_get: "read a record as stored | raw json of a record | digest of a stored record",
};
