/** Questions that a fact of the assistant answers (`FACTS`), as people put them: by the fact's name, a bar between two. */
export const FACT_QUESTIONS: Readonly<Record<string, string>> = {
  failedChecks:
    "which checks fail most | what criteria does my agent miss | which check is failed most often | which assertions does the agent break | what rule is violated most | which success criteria are not met | what kind of check fails the most in the last run | which requirements does the bot violate | checks not met by the newest version",
  compiledAt:
    "when was the world compiled | how old is the simulator | when was the fake system last built | how fresh is the simulated environment | when did we last rebuild the mock | is the fake world up to date | when was the surface compiled last",
  unrunAgents:
    "which agents have never been run | are there agents we have not tested yet | which bots were never evaluated | do I have agents without any runs | which agent has no results | list agents nobody ran",
  uncharged:
    "how many trials crashed | did any trials fail for reasons that are not the agent's fault | how many infrastructure errors were there | were there invalid trials | which trials do not count | how many trials hit infra problems | did the platform break in the last run | how many trials timed out | were any trials lost to crashes | how many trials were thrown out",
  jobs: "is anything running in the background | how many jobs are queued | what jobs are waiting | is anything stuck | are there jobs on hold | what is waiting for approval | what is in the queue | does anything need my consent | are any jobs pending | is a job still going | anything waiting for sign off",
  fidelity:
    "how realistic is the fake world | how faithful is the simulation | can I trust the simulator | how accurate is the mock | how close is the fake environment to the real system | which tools are simulated badly | which tool does the world answer worst | how well does the emulation match production | does the fake behave like the real api | where does the simulation go wrong | how often does the world answer wrong | what is the fidelity | are the simulated tool responses correct | which tool is most accurately simulated | how good is the sandbox compared with the real thing | which calls can the world not answer | how many calls are not served | can I rely on the test environment | does the simulated backend match reality",
  toolsOffered:
    "what tools does the fake world have | which tools can my agent use in the environment | list the functions the sandbox provides | what operations are available in the simulated system | which tools are there | what endpoints does the world offer | how many tools does the environment have | show me the available tools | what can the agent do in the simulator",
  brokenJobs:
    "did any jobs fail | which jobs failed | what background work broke | did something crash overnight | any failed jobs recently | why did the job fail | which job ended with an error | did the pipeline fail | was any job cancelled | were any jobs stopped | did anything go wrong in the background",
  refusedEvidence:
    "were any traces rejected | which uploads were refused | how many sessions were dropped and why | did any trace contain secrets | why were my traces not accepted | what could not be read of the files I uploaded | how many items were skipped at ingest | was anything lost when I pushed | did all my traces get in | problems with the upload",
  tracesWith:
    "find traces about refunds | show me sessions that mention a gift card | which conversations contain the word cancel | are there traces where the customer was angry | search recordings for invoices | list sessions with baggage | find a trace where the tool failed",
  neverMet:
    "which tasks does no agent solve | which tasks were never passed by anyone | are there tasks that every version fails | what are the hardest tasks | which test cases has nobody solved | which tasks fail for both agents | which tasks are impossible so far | what does every agent get wrong | which tasks do both versions fail | most difficult tests",
  ranking:
    "which agent is best | who is winning | rank my agents | which version performs best | which agent has the highest pass rate | what is the worst agent | leaderboard | which version scores highest | top performing agent | which of my bots is the strongest | which agent does best overall | show the ranking | which agent is worst | which agent should I use | compare all my agents",
  untestedTools:
    "which tools are never tested | which tools have no tasks | what tools are not covered | which functions are not exercised by any test | which api calls do we not test | are there tools without a test | which tools does production use that our tests ignore | which tools lack coverage | tools that appear in traces and in no task",
  toolUse:
    "which tool is called most often | which tools are used the most | how often is a tool called | what are the most popular tools in the traces | how frequently does search get used | how many times is the refund tool called | which tool fails the most | what is the error rate of the tools | which tool returns the most errors | how many tool calls ended in error | which tool breaks most in production | tool usage statistics | which tool is used least | how many calls to cancel_order failed | top five tools by usage | which tools error out | what tools does my agent call | do tool calls fail in production | how often do api calls get refused | how many tool calls failed in the last run",
  power:
    "how many trials do I need | how many tasks are needed to detect a 5 point difference | is my sample large enough | do I have enough tasks to see a difference | how many runs to be sure | what sample size do I need | how big must the test set be to show an improvement | how many repetitions do we need for significance | what is the smallest difference we can detect | are 50 tasks enough",
  families:
    "what kinds of tasks does the agent do worst | which task family has the lowest pass rate | where is my agent weak | what is the agent good at | what types of requests does it struggle with | where does the bot excel | pass rate by category | break results down by task type | how does it do per family | what are its strengths and weaknesses | on which kind of task does it fail most | which category of tasks is easiest for the agent | what is it bad at",
  tasksAbout:
    "do we have tasks about refunds | which tasks involve cancellations | are there test cases that mention baggage | tasks concerning invoices | how many tasks are about shipping | list tasks that deal with address changes | is there a test for returns | do any tests cover password resets | do we test cancelling an order | is booking tested",
  versions:
    "which model does my agent run on | what model is behind version 2 | which version is in production | which command starts the agent | what url does the agent have | which version is live | which llm does the agent use | how is the agent configured | when was the latest version added | which version is labelled main | what is the newest version of the agent | which gpt does the bot run",
  agents:
    "which agents do we have | list my agents | how many agents are connected | what agents are registered | show all bots | which agents and versions exist | how many versions does my agent have | what versions are there | is an agent connected | which agents are under test | what is my primary agent | what is being evaluated here",
  records:
    "how many environments are there | how many run groups do we have | how many surfaces do we have | how much is in this workspace | how many evaluations have been run | how many experiments did we do | number of environments and agents | how many runs have there been | total number of runs",
  taskCounts:
    "how many tasks do we have | how many tasks are certified | how many test cases passed review | how large is the test set | how many tasks were refused | are my tasks reviewed | how many tests are there in total | how many tasks are on hold | number of tasks per environment | how many draft tasks | are all tasks certified | what share of tasks is certified | size of the benchmark | do we have any tests",
  taskKinds:
    "what kinds of tasks are there | what do the tasks test | what is in the test set | which families of tasks exist | what types of test cases do we have | describe the tasks | how diverse are the tasks | what do our tests cover | tasks by family | which categories of tests do we have",
  privacy:
    "is there personal data in my traces | what about privacy | is customer data anonymized | are the traces anonymised | does the evidence contain pii | are we gdpr compliant with what is stored | how is sensitive information handled | do we store names and addresses of customers | are names masked | is private information kept",
  callsOfTraces:
    "how many tool calls does a typical trace make | what is the average number of calls per session | how long is a typical session | how many calls per conversation on average | median calls in a trace",
  callsOfRun:
    "how many tool calls does the agent make per trial | how many steps does the agent take per task | average calls per trial in the last run | does the agent need many calls | how efficient is the agent | does the new version use fewer tool calls",
  longest:
    "which task takes longest | slowest trial | which tasks are slow | which trial ran the longest | what are the longest trials | which tests take the most time | where does the agent spend its time",
  dearest:
    "which task is the most expensive | which trial used the most tokens | which tasks cost most | priciest trial | what are the most costly tests | which tasks burn the most tokens",
  newestEvidence:
    "when did the last traces arrive | how old is our newest evidence | who uploaded the latest traces | when was data last sent | has anything new come in today | what is the most recent session | did traces come in yesterday | when did we last receive data | is the trace data up to date | how fresh is the evidence | who pushed the last batch | last upload",
  spendOf:
    "how much did we spend this month | what did it cost in total | total cost so far | how much money have we spent this week | how much have model calls cost | what is our bill this month | cost over the last thirty days | how much money has been used altogether | how expensive is all this | monthly cost",
  costOfRun:
    "how much did the last run cost | what was the price of the evaluation | how many tokens did the run use | cost per trial | what did testing version 2 cost | how expensive was the experiment | tokens used by the agent | was the last run expensive | dollars spent on the newest run | how many tokens per trial | what does one evaluation cost",
  timeOfRun:
    "how long did the last run take | when was the last run | when did we last evaluate | how slow was the run | duration of the experiment | when was the agent last tested | how long does a trial take on average | when did the newest run finish | when did the last run start | average latency per trial | how fast is the agent | how much time does an evaluation need | date of the latest experiment",
  failedTasks:
    "which tasks failed | which tasks does my agent fail | what tests did it not pass | list the failing cases | show me the failures | what did the agent get wrong | which tasks always fail | which test cases failed in the last run | failing tasks of version 2 | what is failing | what broke in the latest run | which requests could it not do | what can my agent not do | which scenarios did the bot mess up | show failed tests",
  failedTrial:
    "why did the last trial fail | show me a failed conversation | give me an example of a failure | what went wrong in the failed trial | walk me through a failing trial | show a transcript of a failure | what did the agent say when it failed | explain the first failure | show the failing session | example of a wrong answer | let me see one failing trial in detail",
  trialsEnded:
    "how many trials failed | how many trials passed | how many tests did it pass | how many were successful | count of met and failed trials | how many tasks did the agent solve | number of failures in the last run | how many tests were run | how many trials did version 1 get right | which agent was tested last",
  verdictOnPair:
    "is the new version better | did the last change make it worse | is version 2 worse than version 1 | did we regress | what changed between the two versions | compare the last two runs | which tasks flipped | should I ship the new version | can I deploy this | is it safe to release | did my agent improve | is the difference significant | is it just noise | what did the new prompt break | what got better | what regressed | are we better than before | what did v2 fix | how does the latest version compare with the previous one | difference between versions | was the change an improvement | which tasks did the new version break | is the improvement real or luck | can I merge this | any regressions | how confident are we that it got better | did the pass rate drop | which tasks pass now that failed before | is the agent getting worse | what newly fails | before and after the change | is the candidate better than the baseline",
  rootCauses:
    "why does my agent fail | what are the main reasons for failures | most common failure cause | root causes | what goes wrong most | why are tasks failing | what mistakes does it make | what should I fix first | what should we improve | biggest problem of my agent | what kind of errors does the agent make | which failure type is the most frequent | what do I work on next to make the agent better | does it call the wrong tools | does the agent hallucinate | does it break policy | how can I improve my agent | why is the pass rate so low | what is the agent doing wrong | where should we put our effort | patterns in the failures | typical mistakes | how do failures break down",
  nextStep:
    "what should I do next | where do I start | what now | what is the next step | how do I begin | what is left to do | I am new here what do I do | what do you recommend doing | how do I get started | what is missing to get going",
  help: "what can you do | what can I ask you | help | how do you work | what do you know | what questions can you answer | who are you",
  codeHost:
    "is github connected | which repositories are linked | are we connected to gitlab | which repos are covered | is the code host set up | do you have access to our repository",
  sources:
    "where do traces come from | which integrations are connected | is langfuse connected | which sources feed us | did the sync work | when was the source last pulled | are there any connectors set up | is datadog hooked up | is the import still working | what is pulling data | where does our data come from | origin of the evidence",
  useCases:
    "what do users ask for | what are the most common requests | what are the use cases | what do customers want | which intents appear in the traces | what topics come up in conversations | what is the agent used for | what are people doing with the bot | which use cases have no tests | what kinds of questions do users ask | what happens in the traces",
  objects:
    "what objects are in the system | what entities are there | which tables does the system have | what does the data model look like | what fields does an order have | what business objects exist | show the schema | which concepts does the ontology have | how are orders and customers related",
  firstState:
    "what data does the fake world start with | how many rows are in the world | what is in the database of the simulator | which tables does the world contain | what is the initial state | how many customers are in the sandbox | what is the starting data | what records does the environment hold",
  environments:
    "which environments are there | list the environments | what sandboxes do we have | which test environments exist | show me my environments | do I have an environment | which environments can I run on",
  numberedTask:
    "what does the first task ask | show task 3 | what is task number 5 | tell me about task 12 | describe the last task | what is task 1 about | details of task 4",
  flaky:
    "which tasks are flaky | are results stable | is the agent consistent | which tasks sometimes pass and sometimes fail | how reproducible are the results | does it give the same answer every time | how much do results vary between trials | are there unstable tests | is it deterministic | how reliable is the agent | do repeated trials agree",
  failureModes:
    "what are the known problems | which failure modes are recorded | list known issues | which bugs are open | what weaknesses have been reported | are there open failure modes | which failures have we written down | recurring problems | which failure modes are fixed | is there a list of known bugs",
};
