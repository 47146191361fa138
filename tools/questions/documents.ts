/**
 * Questions that the documentation answers, as people put them: by a page's name, by a question of docs/limits.md, or by a word of
 * the glossary, whose sentence answers them.
 */
export const DOCUMENT_QUESTIONS: Readonly<Record<string, string>> = {
  connect:
    "how do I connect my coding agent to this | use this from claude code | add the mcp server to cursor | set it up in codex | which address does the mcp server have | how do I use this in vs code | call it over rest | how do I connect claude | how do I add this to my editor | how do I plug this into cursor | how do I plug it into my editor | can my coding agent talk to this | connect it with vs code | what do I type to use it from claude | plug in cursor | use it with claude code | how can my editor talk to this | how do I use this from my coding assistant | how do I use your tools from my coding agent | how do I add this as an mcp server | connect over mcp",
  quickstart:
    "where do I start with my own agent | is there a tutorial | how do I set this up from scratch | first evaluation step by step | do I need to write code | how do I set up my first evaluation | how do I try this with my own agent | what are the first steps | how do I evaluate my own agent the first time | show me how to begin with my own agent | getting started guide | first steps | I am new here and have an agent of my own, where do I begin | how do I get from trace files to a verdict",
  formats:
    "which formats can be read | what file formats can I send | which files can I send | which trace formats do you support | can I send otlp | do you read openai traces | in what form must my logs be | what file types can I upload | which log formats do you understand | can you read our langsmith exports | is my trace format supported | do you take json lines | what formats are supported | can I upload json | which exports can you read | our logs have a format of their own, can you read them | which format must a trace have | can I upload langgraph traces",
  settings:
    "which settings are there | how do I configure the service | what are the limits of my plan | where do I set environment variables of the server | which limits apply to us | how do I change the port | how do I give it a model | what can be configured | where do I change settings | which configuration options are there | settings | how is the service configured | which environment variables are there | how do I configure which model is used for compiling | how do I change where data is stored | set an environment variable of the service | where do I enter the openai key of the service",
  security:
    "how is our data kept safe | who can read our data | is it encrypted | how are orgs kept apart | is it secure | what leaves the workspace in reports | can customers see our data | who may see what | how safe is this | where is my data stored | is our data safe | is our data protected | who at your side can look into our data | where is the data kept | how is access controlled | is data encrypted at rest | are the customers' records safe here | how do you protect our data | do you share our data with anybody | is this secure | security | how do I show our security team that our data is safe",
  deploy:
    "how do I install it on a server | deploy it for a team | run it with postgres | host it myself | can we host this ourselves | how do I set up a server for the team | does it need postgres | run it in docker | what do I need to install it | run it on our own server | installation | what does it need to run | how do I run this as a service for our whole team | which requirements has the server | how do I put it behind https | install it in our cloud",
  operating:
    "how do I run several servers | how do I scale the service | operate a shared workspace | upgrade without downtime | how much load can it take | how do I upgrade the service | how do we run it for many teams | how much disk space does it need | how large is the store | how much space does the data take | backup and upgrade | we outgrow sqlite, how do I move to postgres | how do I migrate from a folder to postgresql | how do I add a second server | how do I upgrade to the newest release",
  limits:
    "how many traces do I need | how many sessions does it take | when should I not trust the result | what can it not tell | how does it differ from langfuse | what are the limits of this approach | is my data enough to build a world | how many conversations do I need to begin with | how is this different from langfuse | why not just use promptfoo | how does it compare with braintrust | is it like tau-bench | how many traces do I need to get started | what are the weak points of this method | when do the results mean nothing | how little data is too little | how is it different from other evaluation tools | can I trust this at all | what are the limits | how reliable is your method | what can go wrong with this approach | how many sessions do you need | how many traces do I need before this is worth anything | for which agents is this not suited",
  "trial-contract":
    "what does my agent have to do | which protocol must the agent speak | how long may a trial take | what is the time limit of a trial | what does the agent get at the start | how does a trial end | example agent in python | how must my agent be built to be tested | how does the agent talk to the test | what does my agent receive in a trial | how do I write a python agent that can be tested | how does my own agent get the address of the sandbox | what must my agent answer to be tested | how does my agent find the tools in a trial | how do I write an agent that you can start",
  measure:
    "how is fidelity measured | how can I measure the simulator on my own traces | do your verdicts agree with mine | svc fidelity command | how do I find out how exact the simulation is on my data | how are verdicts checked against my own rewards | how do I measure how good the simulator is on my own traces | how can I check that your verdicts agree with our own",
  sources:
    "how do I send opentelemetry | judge production traces as they come | monitor production | how are traces pulled | how do I watch production continuously | can it judge live traffic | how do I send traces with opentelemetry | have traces delivered continuously | how do I send production traces continuously | how can I check live traffic against rules | how do I set up an opentelemetry exporter",
  "command-line":
    "how do I use the command line | which exit codes are there | how do I gate ci on the result | fail the build on a regression | use it in ci | how do I block a merge when the agent gets worse | stop a pull request that makes it worse | can this run in github actions | how do I wire it into our build | make our build fail when the agent regresses | how do I use it from the terminal | is there a command line tool | use it in github actions | gate our pipeline on the verdict | exit codes for ci | how do I look up the arguments of a tool on the command line | how do I call an operation from a shell script | how do I follow a job in the terminal | how do I log in from the command line | which command compares two files of results | complete commands in bash | which svc commands are there | how do I stop a merge request automatically when quality drops",
  deliver:
    "where is the console | how do I open the console | how do I open the web page | is there a user interface | how do I see results in the browser | where do I see the results in a browser | is there a dashboard I can open | web address of the console | open the dashboard | where can I see charts | web interface | where is the page with the charts | how do I get to the web pages | where do I see the charts | address of the web console on my machine | how do I open the console in my browser | how do I get into the web interface | how do I sign in to the console | where do I see all this with charts instead of text",
  "change-worlds":
    "how do I change the fake world | how do I correct an answer of the world | edit rows of the simulator | the world answers wrong how do I fix it | how can I repair a wrong answer of the sandbox | how do I edit the simulated data | the fake data is wrong how do I correct it | the sandbox gives a wrong answer, how do I correct it | how do I change a row in the fake data | an order in the sandbox has the wrong status, how do I correct it | the simulator behaves differently from our real system, how do I teach it",
  "Does it need a model or a key?":
    "do I need an openai key | does this use a model | can it run without an llm | does it work offline | does it work without internet | do I need an api key for this | does it cost model calls",
  "Do sessions leave the machine?":
    "is my data sent anywhere | do you send our traces to a model | does data leave our machine | who sees our traces | do you train on our data | does anything leave our network | where do our traces go",
  "Why does the world say `not_served`?":
    "why does the world not answer | what does not served mean | what does not_served mean | what does the fake system do when it does not know an answer | what happens when the simulator has no answer | why was a call not served",
  "Can I correct a world?": "can I correct the simulator | can I edit the fake world",
  "Can I delete a run, a report or an upload?":
    "delete all my runs | delete a run | how do I delete an old run | remove a run from the list | can I delete a report | delete the last report | how do I delete uploaded traces | delete all reports | delete all evaluations | delete an upload | remove evidence that I uploaded by mistake | I uploaded the wrong file, how do I delete it | get rid of old runs | how can I clear the history of runs | delete a comparison | delete jobs | a run was a mistake, how do I remove it | wipe all results | how do I clean up old experiments | delete the failed runs | remove a run group | erase an evaluation | delete the results of version 1 | can runs be deleted | delete all traces | delete the evidence | how do I delete a recording batch",
  "Is the same input judged alike twice?":
    "does the same run give the same verdict | are verdicts deterministic | will I get the same tasks again",
  "May I compare results that I already have?":
    "can I compare results I already have | compare two result files | compare without running | I have two result files, how do I compare them without a run",
  "word trial": "what counts as one attempt | define trial",
  "word certificate":
    "what does certified mean | what is a certified task | when is a task certified | meaning of certified",
  "word world": "what is a fake world | what do you mean by world | explain world",
  "word fidelity": "what is meant by fidelity | define fidelity | explain what fidelity is",
  "word run":
    "what is the difference between a run and a group | what is the difference between a trial and a run | what is a run group | explain run group",
  "word situation": "explain what a situation is | what do you mean by situation",
  "word held": "what is a held task | when is a task held",
  "word door": "what is a door of a sandbox",
  "word gap": "what do you call a gap | what is meant by gaps",
  "word check": "what is a criterion | what do you mean by check",
  "word task": "what is a test case | what do you call a task",
  "word environment": "what is a test environment",
  "word evidence": "what counts as evidence | what do you mean by evidence",
  "word failure mode": "what do you mean by failure mode | explain failure modes",
  "word tier": "what does llm-derived mean",
  "word answer class": "what are answer classes | what do refused and pending mean",
  "word met":
    "when is a trial met | what is meant by infra and invalid | what is the difference between failed and invalid",
};
