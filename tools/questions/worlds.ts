/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const WORLD_QUESTIONS: Readonly<Record<string, string>> = {
  bundles_list:
    "which bundles are compiled | list compiled versions | how many tools and tables does each compiled version have | which version of the world is served",
  bundle_manifest:
    "what does an agent see on the tools listing | which tools only read | read only tools | tool manifest of the bundle",
  bundle_axes: "which parameters vary in the evidence | axes of a bundle | sample of parameter combinations",
  apidoor_post:
    "how do I serve a fake http api | mock our rest api | simulate an api from har files and openapi | we have har files of our api, how do I mock it | how can I get a fake of our rest service | make a mock server of our http api | fake our rest api from its openapi file | we only have an openapi description, can you fake that api",
  apidoor_get:
    "which api doors are open | what is the base url of the fake api | list mock apis | where is our mocked rest api",
  sandbox_door_post:
    "open a door to a sandbox | give a client its own fake api url | our program speaks http and not mcp, how do I let it into the sandbox | how do I get an http address for the sandbox | open the sandbox to a client over rest | how can a client without mcp use the fake system | our web frontend should talk to the simulated api over plain http | get a url under which the fake rest api answers | how can the frontend team develop against the fake backend | use the simulated system from postman",
  sandbox_door_get: "list the doors of a sandbox | which http doors does the sandbox have",
  sandbox_door_delete:
    "close a door | revoke a door's url | the http address of a sandbox should not work any more, how do I close it | how do I shut a door of a sandbox | remove a door | close the http address of the fake system",
  sandbox_door_reset:
    "reset a door | put the fake api back to its start | how do I put the data behind an http door back to the start | reset the fake api | start the mocked rest api over",
  sandbox_door_tally:
    "how often was the fake api called | which routes could the door not answer | requests a door got",
  served_repo_post:
    "connect my mcp server's repository | serve our own server from code | check out a tool server and record it | how do I let the agent use our real mcp server code | run our own tool server from its repository",
  served_repo_list: "which repositories are served | list served repositories",
  served_repo_get:
    "read a served repository | why was the served repository refused | how is the served server started",
  served_repo_read: "what does the served repository read of its upstream | which members does the client code use",
  surfaces_list:
    "which systems are there | list surfaces | what systems do we fake | which apis are simulated | what is compiled | which worlds were built | which systems do you know | what systems are there | list our systems | how many systems are simulated | how many sandboxes are there, and of what | which systems have been rebuilt as fakes | what systems are simulated here | list the surfaces with their versions | which of our systems are copied | names of the simulated systems",
  surface_representation:
    "what is the surface compiled to | how many behaviours and gaps does the world have | show how a tool is simulated | which gaps does the world have | how was the tool learned",
  surface_progress:
    "how did we progress over versions | trend of the pass rate | are we improving over time | which version first met each task | history of scores by version | when did the failure stop | progress chart | has quality gone up over time | how has the score developed | show the trend | is it getting better from version to version | how did the pass rate change over time | how has the agent developed over the months | are we getting better or worse over time | show the pass rate over time | quality curve over the versions | is there an upward trend | how did the results develop since the first version | is the score rising | how has accuracy moved since we started measuring | has the agent become better over the last months | how did the score change from version to version | what does the pass rate look like over time | did quality go up since the beginning | compare quality over all versions | how did we develop since the first evaluation | is the bot improving with every release | are we getting fewer failures than last week | did failures go down after the fix | over the last versions is the trend up or down",
  surface_world_redraw:
    "how do I redraw the worlds | draw every environment again with another seed | new data for all environments | how do I get other data in the sandboxes | I want fresh customers and orders in all environments, how do I do that | draw new rows for every environment | how do I get other invented rows for all environments | draw the data of the fake system anew | the tools of the system are declared anew, how do I redraw",
  surface_world_revert:
    "take a redraw back | undo the redraw of the worlds | the newly drawn data is worse, how do I get the old one back | return to the rows before the redraw",
  surface_rebuild:
    "how do I rebuild the surface | compile again with the newest compiler | update the fake system | how do I rebuild it with the new traces | refresh the copy from new data | recompile the world | compile again with the newest traces | there are new traces, how do I bring the sandbox up to date | how do I compile the world again | the sandbox is out of date, how do I refresh it from newer traces | rebuild the simulator | compile the fake system from all its evidence again",
  surface_supersede:
    "mark a surface as superseded | replace a surface by another | a system has been replaced by a new one, how do I say so | how do I mark that one surface takes the place of another",
  surface_unsupersede:
    "list a superseded surface again | a replaced system is used again, how do I list it | undo that a surface was superseded | take back that a surface was replaced",
  surface_retire:
    "how do I hide a surface | retire a system | remove a surface from the lists | how do I take a system off the list | we have shut one of our systems down, how do I hide it here | delete a surface | remove a system that we do not use any more | a system is switched off for good, how do I take it off the list",
  surface_restore:
    "restore a surface | bring a retired system back | a system was retired by mistake, how do I get it back | put a retired surface back on the list",
  surfaces_post:
    "make a surface from a tools listing | how do I simulate an mcp server without traces | build a world from an mcp url | we have an mcp server and no traces yet, how do I begin | how do I make a fake version of our mcp server | simulate a server from its list of tools | I have only tool definitions and no recordings, how do I make a world | we have no recordings yet, only the definitions of the tools, can we begin",
  org_retired:
    "what was retired | which environments are hidden | show archived environments | what did we take off the lists | what was retired or deleted recently | what has been taken off the lists | show everything that is retired | list retired tasks and surfaces | which environments or agents are hidden at the moment | what was retired and could be brought back | list everything that was hidden | where do I find what I retired",
  sandboxes_list:
    "list the fake worlds with their representation | which hypotheses can be minted | sandboxes by representation",
  sandboxes_post:
    "mint a sandbox | draw a world from observed rows alone | make a sandbox of declared behaviours | how do I make a sandbox by hand | create another fake world | how can I get an empty sandbox of our system | I want a fake system with rows from our own database, how do I make one",
  sandbox_get: "read a sandbox | how many runs did the sandbox have | addresses of a sandbox's worlds",
  sandbox_delete:
    "how do I delete a sandbox | remove a fake world for good | how do I throw away a sandbox | get rid of a fake world | we have too many sandboxes, how do I delete one | delete a sandbox | remove a test environment for good | delete all sandboxes | how do I destroy a fake system that is not needed any more | a fake system is not needed any longer, how do I get rid of it",
  worlds_post:
    "how do I open a world | get an mcp endpoint to try | start a fresh copy of the environment | point my agent at a fake world | play with the simulator myself | how do I get an address to try the sandbox | connect to the fake system | let me try the sandbox myself | how do I get the sandbox's url | how do I point my own agent at a sandbox | try out the sandbox from my own program | connect my python agent to a fake world | how do I get a sandbox of my own to play with | I want to try the tools by hand, how do I open a world | open a fake world | how do I get an address for an mcp client to the sandbox | start a fresh copy of the system | I want to try the fake system by hand | open a private copy of the simulated system for a demo | point my own program at a copy of the fake system | can I use the fake world with my own tests and without an agent of yours | use the simulated system in our own integration tests",
  worlds_list:
    "which worlds are running | list open worlds | live mcp endpoints | how many worlds are up | how many worlds are open at the moment | is a sandbox running now | which sandboxes are in use right now | open worlds | how many worlds are running | which fake worlds are running right now",
  world_check:
    "check a world against a task | did my own attempt meet the task | I solved the task by hand, how do I see whether that would pass | test whether the state of a world meets a task",
  world_reset:
    "how do I reset a world | start the world over | clear the journal | I changed data in the sandbox while trying, how do I get it back to the start | start the fake system from scratch | how do I undo all changes in a world | put the world back to its first state | how do I set the fake world back to the beginning | start the copy over from its first state",
  world_state: "what is in the world now | tables of a running world | what did the agent change in the world",
  world_peek: "which rows differ from the start | peek into a world | rows per table in the running world",
  world_tools: "tools of a running world | what does the running world offer",
  world_call:
    "how do I call a tool in the world | try a tool by hand | send one call to the fake system | how do I try a tool of the sandbox by hand | call one tool in the fake system and see what it says | send a call to the sandbox myself | how do I try a call against the fake system by hand",
  world_tokens_post:
    "mint a connector token | another token for a world | how do I give another client access to a world | make a second token for the world | a second program needs to get into the running world",
  world_tokens_delete:
    "revoke a connector token | end access to a world | how do I take access to a world away | a world's token should not work any more | delete the token of a world",
  realism_packet:
    "give me rows to rate | which rows are real and which are drawn | packet for a realism test | how do I get rows that people should judge",
  realism_get:
    "how real do the drawn rows look | can people tell made up data from real data | does the synthetic data look real",
  realism_post:
    "rate rows | say which rows look made up | how do our people say which rows look invented | tell real from invented rows",
  worldplans_from_surface:
    "generate a plan for a surface | make a worldplan with tasks | how do I have a plan written for a system | generate tasks as a plan first",
  worldplans_list: "list the plans | which worldplans are there",
  worldplan_get:
    "show a plan | read a worldplan with its tasks and scripts | let me see the plan | what is in the plan",
  worldplan_patch:
    "edit a plan | rewrite the tasks of a plan | rename a worldplan | a task of the plan is not good, how do I edit it | change the plan before it is used",
  worldplan_delete:
    "delete a plan | remove a worldplan | a plan is not needed any more, how do I delete it | throw a plan away | delete all plans",
  worldplan_bench:
    "export a benchmark in harbor format | download a plan as a benchmark dataset | how do I export the tasks to harbor | get the tasks as a benchmark | export as harbor | how do I get our tasks in the harbor format | how can others run our tasks as a benchmark | download the benchmark | how do I hand our tasks to somebody as a benchmark | take the test set to another harness | export the tests in the format of another benchmark",
};
