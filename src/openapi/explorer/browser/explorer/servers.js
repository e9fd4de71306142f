/**
 * The servers with the one that serves this page first, whether the document names it or not: whoever reads the
 * documentation of a staging service calls that one, unless another is chosen.
 * @param {readonly Server[]} servers
 * @param {URL} own address of the API of the server that serves this page
 * @returns {Server[]}
 */
export function ownServerFirst(servers, own) {
  /** @param {Server} server */
  const isOwn = ({ url }) => new URL(url, own).href === own.href;
  const first = servers.find(isOwn) ?? { url: own.pathname, description: 'This server' };
  return [first, ...servers.filter((server) => !isOwn(server))];
}

/**
 * The address of the chosen server, without a slash at the end.
 * @param {System['oas3Selectors']} oas3Selectors
 */
export function serverAddress(oas3Selectors) {
  return new URL(oas3Selectors.selectedServer() || '../../../../v1', import.meta.url).href.replace(/\/$/, '');
}
