/**
 * Questions that the documentation answers, as people put them: by a page's name, or by a question of docs/limits.md.
 */
export const DOCUMENT_QUESTIONS: Readonly<Record<string, string>> = {
  connect:
    "how do I connect my coding agent to this | which address does the mcp server have | how do I connect claude | how do I add this to my editor | how do I plug it into my editor | can my coding agent talk to this | what do I type to use it from claude | use it with claude code | how can my editor talk to this | how do I use this from my coding assistant | how do I use your tools from my coding agent | how do I add this as an mcp server | connect over mcp",
  quickstart:
    "where do I start with my own agent | is there a tutorial | how do I set this up from scratch | first evaluation step by step | do I need to write code | how do I set up my first evaluation | how do I try this with my own agent | what are the first steps | how do I evaluate my own agent the first time | show me how to begin with my own agent | getting started guide | first steps | I am new here and have an agent of my own, where do I begin | how do I get from trace files to a verdict",
  formats:
    "which formats can be read | what file formats can I send | which files can I send | in what form must my logs be | what file types can I upload | which log formats do you understand | do you take json lines | what formats are supported | can I upload json | which exports can you read | our logs have a format of their own, can you read them | which format must a trace have",
  settings:
    "how do I configure the service | which limits apply to us | what can be configured | where do I change settings | which configuration options are there | settings | how is the service configured | how do I configure which model is used for compiling | set an environment variable of the service",
  security:
    "how is our data kept safe | who can read our data | is it secure | can customers see our data | how safe is this | where is my data stored | is our data safe | is our data protected | where is the data kept | are the customers' records safe here | how do you protect our data | do you share our data with anybody | is this secure | security | how do I show our security team that our data is safe",
  deploy:
    "how do I install it on a server | deploy it for a team | run it with postgres | host it myself | can we host this ourselves | how do I set up a server for the team | run it in docker | what do I need to install it | run it on our own server | installation | what does it need to run | how do I run this as a service for our whole team | which requirements has the server | install it in our cloud",
  operating:
    "operate a shared workspace | how much load can it take | how do we run it for many teams | how much disk space does it need | how large is the store | how much space does the data take | backup and upgrade",
  limits:
    "what can it not tell | what are the limits of this approach | how many traces do I need to get started | what are the limits",
  "trial-contract":
    "what does my agent have to do | how long may a trial take | what is the time limit of a trial | how must my agent be built to be tested | how do I write an agent that you can start | how do I write a python agent that can be tested | example agent in python | example agent in javascript | minimal agent in node",
  measure: "how do I measure how good the simulator is on my own traces",
  sources: "have traces delivered continuously | how do I send production traces continuously",
  "command-line":
    "how do I use the command line | use it in ci | how do I block a merge when the agent gets worse | can this run in github actions | how do I use it from the terminal | is there a command line tool | use it in github actions | how do I look up the arguments of a tool on the command line | how do I call an operation from a shell script | how do I follow a job in the terminal | how do I log in from the command line | which command compares two files of results | which svc commands are there | which command follows a job to its end | what is the command that tells whether a job is done | how do I wait for a job in a script",
  deliver:
    "how do I open the web page | where do I see the results in a browser | web address of the console | open the dashboard | web interface | where is the page with the charts | how do I get to the web pages | where do I see the charts | address of the web console on my machine | how do I open the console in my browser | how do I get into the web interface",
  "change-worlds#Correct a wrong answer":
    "how do I correct an answer of the world | fix the wrong answer of get_order | a tool answers wrong in the sandbox, how do I mend it | the world answers wrong how do I fix it | edit rows of the simulator | how can I repair a wrong answer of the sandbox | the fake data is wrong how do I correct it | the sandbox gives a wrong answer, how do I correct it | an order in the sandbox has the wrong status, how do I correct it | the simulator behaves differently from our real system, how do I teach it",
  "Can a job be started again?":
    "start the last job again | retry the failed job | a job failed, how do I start it again | run a job once more | how do I repeat a job that broke off | redo the job | try the failed job again | resume the pipeline job",
  "Does it need a model or a key?":
    "do I need an openai key | does this use a model | can it run without an llm | does it work offline | does it work without internet | do I need an api key for this | does it cost model calls | what do I need a model for at all | can we use it without any ai provider | is an account needed anywhere | does it run without a key",
  "Do sessions leave the machine?":
    "is my data sent anywhere | do you send our traces to a model | does data leave our machine | who sees our traces | do you train on our data | does anything leave our network | where do our traces go | is anything of our conversations sent to the outside | does a vendor get to see our sessions | are the recordings uploaded anywhere | does our customer data go to openai",
  "Why does the world say `not_served`?":
    "why does the world not answer | what does not served mean | what does not_served mean | what does the fake system do when it does not know an answer | what happens when the simulator has no answer | why was a call not served | why is a call not answered by the fake system | the fake system refuses to answer some calls, what is the reason | why was a call answered with not_served and is it the agent's fault | why does the simulator sometimes give no answer | why does it not simply guess an answer",
  "Can I correct a world?":
    "can I correct the simulator | can I edit the fake world | may the answers of the fake system be corrected",
  "Can I delete a run, a report or an upload?":
    "delete all my runs | delete a run | how do I delete an old run | remove a run from the list | can I delete a report | delete the last report | how do I delete uploaded traces | delete all reports | delete all evaluations | delete an upload | remove evidence that I uploaded by mistake | I uploaded the wrong file, how do I delete it | get rid of old runs | how can I clear the history of runs | delete a comparison | delete jobs | a run was a mistake, how do I remove it | wipe all results | how do I clean up old experiments | delete the failed runs | remove a run group | erase an evaluation | delete the results of version 1 | can runs be deleted | delete all traces | delete the evidence | how do I delete a recording batch",
  "Is the same input judged alike twice?":
    "does the same run give the same verdict | are verdicts deterministic | will I get the same tasks again | if I run it twice do I get the same result | is there randomness in the verdict | why do two runs of the same version differ",
  "May I compare results that I already have?":
    "can I compare results I already have | compare two result files | compare without running | I have two result files, how do I compare them without a run | we have results of tau-bench already, can they be compared | compare results of another benchmark without running anything",
  "command-line#A gate for CI":
    "how do I gate ci on the result | fail the build on a regression | stop a pull request that makes it worse | block a merge when the agent gets worse | our ci should go red when the new version is worse | gate our pipeline on the verdict | how do I stop a merge request automatically when quality drops | make our build fail when the agent regresses | how do I wire it into our build | can a pull request be refused by itself if the agent does worse | the build must not pass if the bot got worse | a check on every pull request that fails on a regression | what goes into our github workflow so that a worse agent is not merged | which command says in ci whether it got worse | have merges stopped when results go down | what does the gate do when it cannot tell | when does the gate say cannot tell | how often does the gate raise a false alarm | what has to be in our ci script | does the gate need a running service",
  "command-line#Exit statuses and output":
    "which exit codes are there | exit codes for ci | what does exit status 3 mean | what does status 2 of a command mean | how does a script know that a command failed | why did evaluate end with status 3 | get json from the command line",
  "command-line#Completions": "complete commands in bash | tab completion in my shell",
  "command-line#Sending files":
    "how do I make sure that a file arrived whole | what happens when an upload breaks off | does it matter when I send a session twice",
  "command-line#Arguments of a call":
    "how do I pass a list to svc call | how do I give a file as an argument | how do I send json to an operation from the shell",
  "limits#When not to trust it":
    "when should I not trust the result | when should one not believe the verdict | what can go wrong with this approach | when do the results mean nothing | for which agents is this not suited | what are the weak points of this method | how reliable is your method | can I trust this at all | in which cases is the verdict misleading | does it judge the tone of an answer | what is not measured by this | is it any use if our system ranks with a model | when is the fake world the wrong thing to test on | what does a good result not prove | does a certificate say that the task matters | does it measure how polite the agent is | can it measure tone of voice | does it check that an answer is friendly | does it say anything about safety | what if all sessions come from one good agent | in what cases should I doubt the result | what does the certificate not say | can a good score still be wrong | what are its blind spots as a method | is it the words or the actions of the agent that are judged | does it judge what the agent says or what it does",
  "limits#How many sessions it takes":
    "how many traces do I need | how many sessions does it take | how many conversations do I need to begin with | how little data is too little | is my data enough to build a world | how many traces do I need before this is worth anything | how many sessions do you need | are 20 sessions enough | how many recordings for a good world | what kind of sessions should I send | how much data is needed for a reliable simulation | do more sessions make the fake world better | how much better does the world get with more recordings | what do I get out of 100 sessions | how many recorded chats are enough for a good copy | which recordings help most | how many distinct tasks does a comparison need | how much of the real system is answered right after 20 sessions",
  "limits#How it differs":
    "how does it differ from langfuse | how is this different from langfuse | why not just use promptfoo | how does it compare with braintrust | is it like tau-bench | how is it different from other evaluation tools | what does this do that inspect does not | what is the advantage over promptfoo | isn't this the same as langfuse",
  "change-worlds#Change a world, and take it back":
    "why is a task stale | what does it mean that a task is stale after an upgrade | why does a task stop counting after a change | when is a certificate no longer valid | why must tasks be reviewed again after an upgrade | what happens to tasks when the world changes | can the world be changed while a run is playing | how do I change the fake world | how do I edit the simulated data | how do I change a row in the fake data | does a change of the world keep what it replaced | what is a revision good for | do certificates survive a change of the world | how are corrections of tasks undone",
  "sources#What is kept of values":
    "what is kept when data is anonymized | what is kept of a source that is set to shapes | what do pseudonyms look like | what does anonymized keep | what happens to names when a source is anonymized | can a pseudonym be led back to the person | which data access levels are there | what is the difference between full, anonymized and shapes | what exactly is removed when data is masked | is the masking done before it is stored | which values are left of the traces with shapes | are pseudonyms the same every time | does the same customer always get the same pseudonym | can I still join records after anonymising | what stays of a phone number when values are masked | what does it mean that only shapes are kept | which personal data is recognised by the rules | what happens when the key of pseudonyms is forgotten | how much of the values is left if I choose pseudonyms | what of the data remains with the setting shapes | what remains of names when a source is set to pseudonyms",
  "sources#OpenTelemetry":
    "how do I send opentelemetry | how do I send traces with opentelemetry | how do I set up an opentelemetry exporter | which endpoint does otlp go to | send otel spans | which environment variables does the exporter need | when is a trace of spans closed | where do I point my otel collector | our service already emits otel spans, which address takes them | what is the otlp address and header",
  "sources#Judging traces as they come":
    "how can I check live traffic against rules | judge production traces as they come | can it judge live traffic | monitor production | how do I watch production continuously | when does an alert go off | how is it decided that too many sessions fail | when does an incident open and close | which rules can production traces be held to | who is told when an alert opens | how often is live traffic looked at | how many traces does an alert need before it fires | how does an alert decide | is a model used to judge live traces | how often do alerts fire | when does an alert close again | does an alert cost model money",
  "sources#Sources that are pulled":
    "how are traces pulled | which kinds of sources are there | what does a source of kind trace_store need | which credentials does a source take | what do I need to connect langfuse as a source | is anything pulled before I agree",
  "sources#Reading what is stored":
    "how do I search in the traces | full text search over conversations | how do I find a trace with certain words",
  "operating#From a folder to PostgreSQL":
    "how do I migrate from a folder to postgresql | we outgrow sqlite, how do I move to postgres | move the data from sqlite to postgres | the embedded store is too small, how do we change to a real database | switch to postgresql later | copy a local workspace to a database server | go from sqlite over to postgres without losing anything | run it against postgres in place of the file | use postgres instead of sqlite",
  "operating#Backups":
    "how do I back up the database | backup of the service | how are backups made | how do I restore the store after a crash | may I copy the store file while it runs | what must be kept apart from the backups | disaster recovery | what do I have to save so that nothing is lost | how do I bring the service back after a disk failure | what happens if the sealing key is lost",
  "operating#Schema changes without downtime":
    "upgrade without downtime | how do I upgrade the service | how do I upgrade to the newest release | can I go back to an older version after an upgrade | does an upgrade need a stop of the service | roll out a new release of the service | is there a way back after a migration | in which order are servers upgraded | do old and new servers run side by side during an upgrade",
  "operating#Servers and workers":
    "how do I run several servers | how do I add a second server | what happens when a server dies | how do I add workers | how do I scale the service | does the balancer need sticky sessions | what happens to running trials when a server is restarted | do several servers share one database | how many connections does a server need",
  "operating#The operator's acts":
    "what can only the operator do | which acts are the operator's alone | what may whoever runs the service do",
  "security#Who may do what":
    "which kinds of tokens are there | what may a push token do | what may someone with a read token do | who may see what | how is access controlled | which rights are there | what is the difference between read, push and admin | who can do what in here | which scopes are there | what can a read token see | what is an admin token good for | may a push token invite people | which scope do I need to start a run | what is scope push | who needs an admin token",
  "security#Secrets":
    "how are secrets stored | are our api keys encrypted | is data encrypted at rest | is it encrypted | where do credentials lie | what happens to traces with a password in them | where is the password of a source kept | are tokens stored in clear | how is a credential protected in the store | what happens when a trace holds a password",
  "security#Orgs":
    "how are orgs kept apart | can another customer see our records | is one org's data separated from another's | row level security",
  "security#Agents on this machine":
    "what can an agent do on this machine | is the agent run in a sandbox | can the agent under test read our files | may an agent reach the internet during a trial | how are trials isolated | is it dangerous to run an unknown agent | can the tested agent reach our network | which files does an agent under test see | are trials run in a container | how much memory may a trial use",
  "security#What leaves the org":
    "what leaves the workspace in reports | is personal data taken out of reports | what is masked before something is shared | are names removed from a report before others see it | what is cleared before a message goes out | which things are taken out of a report before it is shared | do outsiders see customer names in a shared report | are mail addresses hidden in reports",
  "security#What is not protected":
    "what is not protected | who at your side can look into our data | can the operator read our data | does it speak https by itself",
  "security#Access tokens of an issuer":
    "can we use single sign on | log in with our own identity provider | sign in with oauth | sso",
  "trial-contract#How a trial ends":
    "how does a trial end | what is the difference between failed, infra and invalid | when is the agent charged with a failure | when is a trial not counted | what happens when my agent crashes in a trial | what happens when the agent runs out of time | is the agent blamed when the world cannot answer | why was a call that is not served not my agent's fault | who is to blame when a trial ends invalid | is a trial tried again when the service failed | does a gap in the world count against my agent | which ends count in the rate | why is infra not counted in the rate | why are invalid trials left out of the pass rate | what is done with trials that nobody can be blamed for | does a provider outage count against the agent | if the model provider is down, does my agent fail | how often is a trial repeated after an outage | who is charged when a trial times out | is a crash of my program counted as a failure | does a broken connection to the world count as a failure",
  "trial-contract#Users that answer":
    "is there a simulated user | who answers when the agent asks something back | what if my agent asks a question | does the fake user know the order number | how does the simulated customer react | can a task have several turns | what happens if the agent asks the customer something back | can the simulated customer answer questions | does the simulated customer ever leave",
  "trial-contract#What a command gets":
    "what does my agent receive in a trial | how does my own agent get the address of the sandbox | which environment variables does the agent get | how does my agent find the tools in a trial | what does the agent get at the start",
  "trial-contract#What it reads and writes":
    "which protocol must the agent speak | what must my agent answer to be tested | how does the agent talk to the test | in what form does the agent have to answer | how does an http agent get its turns",
  "quickstart#Put your agent behind it":
    "how do I use my langgraph agent with this | does it work with the openai agents sdk | how do I connect an agent of the vercel ai sdk | how do I put a claude agent sdk agent behind it | my tools are not mcp, does that work | what must I change in my agent | what does my agent need so that it can be tested | how do I hook a langchain agent to the fake world | does it work with plain function calling",
  "quickstart#When something is in the way":
    "what do I do when my file is in no format that can be read | the headline warns, what do I do | my exporter left out the results",
  "connect#Claude Code":
    "use this from claude code | how do I connect claude code | how do I add this to claude | set it up in claude",
  "connect#Cursor": "add the mcp server to cursor | plug in cursor | how do I plug this into cursor",
  "connect#Codex": "set it up in codex | use it from codex",
  "connect#VS Code": "how do I use this in vs code | connect it with vs code",
  "connect#Programs over REST":
    "call it over rest | use the rest api from a program | how do long operations answer over rest | is there a rest api | call an operation by http | what does a 202 answer mean | how do I poll a long operation | is every tool a rest route",
  "connect#What to ask it": "what can I ask my coding agent to do with this | which prompts does the server have",
  "deliver#The console and reports":
    "where is the console | how do I open the console | is there a user interface | is there a dashboard I can open | how do I see results in the browser | where can I see charts | how do I sign in to the console | which keys does the console have | what does the first page of the console show | where do I see all this with charts instead of text | where do I see the trials of a task side by side | can I label traces in the browser | can I start a run from the web page | does the console need javascript | what can I do in the console",
  "deliver#Channels and copies":
    "where can results be sent to | which ways are there to send results out | how do I get results into other tools | how do results get into chat, mail or the tracing tool | which call sends a finding where",
  "deploy#The proxy":
    "how do I put it behind https | which reverse proxy settings does it need | nginx in front of it | set up tls",
  "deploy#The database": "which database does it need | does it need postgres | how do I make the database role",
  "deploy#The service": "run it as a systemd service | how do I run the worker | how is it installed on a server",
  "deploy#Backups": "how do I set up nightly dumps on the server",
  "deploy#The first org": "how do I make the first org and its token on a new server",
  "settings#Models":
    "how do I give it a model | which models can it use | what is a model used for | how do I configure which model is used | where do I enter the openai key of the service | how do I let it use claude | what happens when the budget of the day is used up | does judging by a model cost money | what happens when the day's budget is spent | when is a model asked at all | which providers can be set",
  "settings#Settings":
    "which settings are there | how do I change the port | where do I set environment variables of the server | what are the limits of my plan | which environment variables are there | how large may an upload be | how do I change where data is stored | how long do tokens last | is there a rate limit | how many calls per minute are allowed | how big may a file be | which port does it listen on | where is the data folder | how do I set the mail server | default budget of an org",
  "measure#How faithful is a compiled world?":
    "how is fidelity measured | how is it found out how good the fake world is | svc fidelity command | how can I measure the simulator on my own traces | how do I find out how exact the simulation is on my data | what do the fidelity figures compare with | which sessions is fidelity measured on | how do you know that the fake world is right | what is the world's accuracy measured against | what is a plain recording compared with",
  "measure#Do its verdicts agree with yours?":
    "do your verdicts agree with mine | how are verdicts checked against my own rewards | how can I check that your verdicts agree with our own | svc agreement | compare your grading with my rewards | do your verdicts match our own rewards",
  "measure#With a model":
    "what does a model do when a world is compiled | what does --model change | what is a model shown of our sessions",
  "formats#Traces":
    "which trace formats do you support | which trace formats can be read | do you read openai traces | can I send otlp | can you read our langsmith exports | can I upload langgraph traces | do you read claude code sessions | is my trace format supported | can I use crewai logs | mlflow traces | can I use files of inspect | which frameworks' logs can be read | are vercel ai sdk logs readable",
  "formats#Beside traces":
    "what can I send beside traces | can I send an openapi file | can I upload a har file | can I hand in a database export | what is done with a database export | which documents can be sent | can I give you a csv of our tables | can you read a pdf with our policy | what else helps beside recordings | does a list of the tools help | is there a use for our api specification | which form must a database export have | can rows come as csv",
  "glossary#Glossary":
    "where are the words explained | is there a glossary | list of terms | what do the words here mean",
  "limits#Questions":
    "why do intervals count tasks and not trials | why does the number count tasks instead of trials | why are tasks counted and not tries | why was my file read with losses | are the same traces always compiled to the same world",
};
