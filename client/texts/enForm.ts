/** What forms and lists say besides the rules of the service, in English. */
export const enForm = {
  language: 'en',
  number: 'Type a number, such as 1299.50.',
  ambiguous: 'Say which number this is.',
  json: 'This is not JSON.',
  repeated: 'It is there twice.',
  no_answer: 'There was no answer. Try again.',
  no_answer_yet: 'There was no answer yet. Trying again…',
  retrying: 'Trying again: {reason}',
  missing: 'This item is no longer there.',
  conflict: '{user} has saved this item too.',
  others: 'Others have changed too: {others}.',
  undecided: 'First choose between both values.',
  decided: 'Save to keep what you have chosen.',
  unchanged: 'Nothing is changed.',
  not_kept: 'There was no answer, and this browser keeps nothing: try again before you leave the page.',
  unsaved: 'Leave without saving what is typed?',
};
