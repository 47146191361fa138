/** Questions as people put them, by the operation that answers them or does what they ask, a bar between two. */
export const ONTOLOGY_QUESTIONS: Readonly<Record<string, string>> = {
  org_scenarios_get:
    "which situations are tested | list situations | how many tasks stand in each situation | which scenarios do we cover | persona and use case combinations",
  org_readiness_get:
    "which criteria are ready | is there enough data for a verdict | what is missing before a criterion can be told | are we ready to judge | readiness of the criteria | do we have enough data for the criteria | what keeps a criterion from being ready | are we ready | which criteria lack data",
  dimension_value_profile_post:
    "describe a persona | set the weight of a use case | change the profile of a value | how do I describe who a persona is | how do I say that a use case matters more than others | give a persona a description",
  dimensions_persona_draw:
    "draw an environment for a persona | make tasks asked by a persona | how do I get tests as an impatient customer would ask | make an environment played by one kind of customer | how do I test with angry customers",
  dimensions_personas_get:
    "which personas are there | who are our users | what kinds of customers do we simulate | list personas | user types | which kinds of customers are played | who are the simulated users",
  dimensions_personas_post:
    "how do I add a persona | add a customer type | create a new kind of user | we have a kind of customer that is not played yet, how do I add it | how do I define a new user type | create a persona",
  dimensions_personas_from_document:
    "take personas from a document | write the personas of a document | we have a paper about our customers, how do I get personas from it | make personas from our marketing document",
  coverage_matrix:
    "what is not tested | where are the gaps in our tests | how good is our coverage | what is the test coverage | what do we never test | blind spots | which persona and job has no task | what is missing in the test set | what does my agent never get tested on | is everything covered | which scenarios are untested | what have we not covered yet | where do we lack tests | what are the weak spots of our test set | what is missing in our tests | which situations have no test | how well are we covered | do the tests cover everything | which cases are missing from the tests | is every situation tested | which gaps are there in our coverage | what does my agent never get to do | which customer situations are we blind to | what have we overlooked in our tests | where are the holes in our test set | what do our tests leave out | are there situations for which we have no test at all | which parts of real use are not exercised by tests | what situations do customers bring that we never test | which kinds of requests are we not checking | what percentage of situations is covered by tests | how complete is our test suite | are we testing the right things | which user needs are not covered yet | what else should we be testing | untested situations | which user situations are not tested | what share of real use is tested | gaps in the tests | tests are missing for what | real requests that no test covers | which requests of customers does none of our tests look at",
  ontology_get:
    "show the ontology | graph of services and operations | how are the systems connected | which operations read and which write | relations between objects",
  ontology_compile:
    "compile the ontology | build the graph of the surface | how do I build the graph of our systems | make the map of objects and operations",
  ontology_pins: "what was read for the ontology | which labels did readers give",
  ontology_restore:
    "restore an earlier ontology | go back to the earlier graph | the new graph is wrong, how do I return to the former one | bring the previous ontology back",
  ontology_node_get: "read one node of the ontology | what touches this operation | evidence behind an object",
  surface_ontology_derive:
    "store the served version's ontology | keep the graph of this version | how do I keep the graph that belongs to this version | save the ontology of the current version",
  surface_ontology_versions: "which versions of the ontology are stored | ontologies by version",
  surface_ontology_diff:
    "what changed in the tools between two versions of the system | which operations were added or removed | did the api change | differences between surface versions",
  surface_relations_document:
    "read relations from a document | take relations of objects from the docs | our documentation says how orders and customers belong together, how do I have it read | take the relations from a document",
  dimension_value_parent:
    "put a use case under another | make a value a child of another | how do I group use cases under a general one | make one use case part of another",
  dimensions_merge_spellings:
    "merge spellings | the same use case is written in two ways | deduplicate values | the same topic appears under two names, how do I join them | merge two use cases that mean the same",
  dimension_value_hero:
    "mark a use case as one that must never break | most important use case | how do I say which use case is the most important | one use case must always work, how do I mark it | mark a golden path",
  dimension_value_accept:
    "accept a proposed use case | accept a dimension | how do I approve a use case that was found | a proposed use case is right, how do I take it in",
  dimension_value_dismiss:
    "dismiss a use case | reject a proposed value | a use case that was found is nonsense, how do I remove it | delete a use case | throw out a proposed use case",
  ontology_revision_restore:
    "undo an ontology revision | take back a change of the graph | somebody changed the ontology by mistake, how do I take it back | undo the last change of the ontology",
  dimensions_get:
    "which dimensions are there | along which axes does use differ | what can tasks be filtered by | list use cases and registers | which difficulty levels exist",
  dimensions_derive:
    "read dimensions out of traces | find use cases in the evidence | how do I find out what users want from the traces | let use cases be found in our sessions | read use cases out of the traces",
  dimensions_post:
    "declare a dimension | add a custom axis | define our own category | how do I add a field of our own by which tasks are sorted | define a dimension such as language",
  dimensions_delete:
    "delete a dimension | remove a custom axis | how do I get rid of a dimension that we do not need | delete a field of our own",
};
