export { pageEtag, sendPage, type PageJson, sendPageJson } from './send-page.js';
export { type ResponseBody, sendCreated, sendWithEtag } from './send-with-etag.js';
export { IfMatch, Revalidates } from './conditional.decorators.js';
export { etagOf } from './entity-tags.js';
export { Precondition } from './precondition.js';
