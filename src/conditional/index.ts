export { answerPage, pageEtag } from './answer-page.js';
export { type Answered, answerWithEtag } from './answer-with-etag.js';
export { IfMatch, Revalidates } from './conditional.decorators.js';
export { etagOf } from './entity-tags.js';
export { Precondition } from './precondition.js';
