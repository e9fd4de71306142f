export { IfMatch, Revalidates } from './conditional.decorators.js';
export {
  etagOf,
  pageEtag,
  type PageJson,
  type ResponseBody,
  sendCreated,
  sendPage,
  sendPageJson,
  sendWithEtag,
} from './entity-tags.js';
export { Precondition } from './precondition.js';
