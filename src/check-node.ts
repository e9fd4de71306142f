/* Entry points import it first, because modules of the service fail on an old Node while they are loaded. */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(`petstore-service needs Node.js 24.15 or later. This is Node.js ${process.versions.node}.\n`);
  process.exit(1);
}
