import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { cases } from '../openapi/conformance/cases.js';
import { sample, SAMPLES, send } from '../openapi/conformance/samples.js';
import { subject } from '../openapi/conformance/subject.js';
import { type ReceivedResponse, Contract } from '../openapi/contract.js';
import { fetchDocument, operationsOf } from '../openapi/document.js';
import type { ErrorObject } from '../support/expectations.js';

/** Statuses that a single request cannot cause: 408 needs a client that takes half a minute to send a body. */
const OUT_OF_REACH = Object.keys(SAMPLES)
  .filter((id) => ['POST', 'PATCH'].includes(sample(id).method ?? ''))
  .map((id) => `${id} 408`);

/** Errors that need two concurrent requests, as on PostgreSQL, or the table of an extension. */
const NOT_CAUSED: ReadonlySet<string> = new Set(['idempotency_key_in_use', 'conflict']);

const TOO_LATE = { code: 'request_timeout', message: 'The request did not arrive in time.', status: 408 };

let document: OpenAPIObject;
let contract: Contract;

beforeAll(async () => {
  await subject.start();
  document = await fetchDocument(subject.service);
  contract = new Contract(document);
});
afterAll(() => subject.service.stop());
afterEach(() => subject.clock.set('2026-11-21T12:00:00Z'));

/** As text, but for identifiers of keys, which are random. */
const textOf = (error: ErrorObject) => JSON.stringify(error).replaceAll(/key_[0-9A-Za-z]{16}/g, 'key_...');

/** All errors that the cases return, and that of hostile-requests.spec.ts. */
const errors = new Set([textOf(TOO_LATE)]);

describe('a response conforms to the document', () => {
  it.each(cases)('%s: %s returns %i', async (id, _name, status, ask) => {
    const { headers, ...response } = await ask(id).then(read);
    expect(response.status).toBe(status);
    expect(contract.faults(id, { headers, ...response })).toEqual([]);
    if (status >= 400) errors.add(textOf(JSON.parse(response.text) as ErrorObject));
  });

  it('for every status of every operation', () => {
    const documented = operationsOf(document).flatMap(({ operation, responses }) =>
      Object.keys(responses).map((status) => `${operation.operationId} ${status}`),
    );
    const reached = cases.map(([id, , status]) => `${id} ${status}`);
    expect(new Set([...reached, ...OUT_OF_REACH])).toEqual(new Set(documented));
  });
});

it('the error examples of the document are errors that requests return', () => {
  const documented = documentedErrors().filter(({ code }) => !NOT_CAUSED.has(code));
  expect(documented.map(textOf).filter((text) => !errors.has(text))).toEqual([]);
});

const PAGE = '[{"id":1,"name":"Bella","categoryId":1}]';

/** Returns the faults of a modified listPets response. */
const changed =
  (status: number, text: string, change: (headers: Headers) => void = () => {}) =>
  async () => {
    const { headers } = await read(await send('listPets', {}, '/v1/pets'));
    change(headers);
    return contract.faults('listPets', { status, headers, text });
  };

it.each([
  ['an undocumented status', changed(418, PAGE), ['status 418 is not documented']],
  [
    'an undocumented header',
    changed(200, PAGE, (headers) => headers.set('Sunset', 'now')),
    ['header sunset is not documented'],
  ],
  [
    'a missing header',
    changed(200, PAGE, (headers) => headers.delete('X-RateLimit-Reset')),
    ['header x-ratelimit-reset is missing'],
  ],
  [
    'a header that is no integer',
    changed(200, PAGE, (headers) => headers.set('X-RateLimit-Limit', '1.5')),
    ['header x-ratelimit-limit must be integer'],
  ],
  [
    'another body',
    changed(200, '[{"id":0}]'),
    ["/0 must have required property 'name'", "/0 must have required property 'categoryId'", '/0/id must be >= 1'].map(
      (fault) => `the body: ${fault}`,
    ),
  ],
])('a response that does not conform to the document is detected: %s', async (_name, faults, expected) => {
  expect(await faults()).toEqual(expected);
});

async function read(response: Response): Promise<ReceivedResponse> {
  return { status: response.status, headers: new Headers(response.headers), text: await response.text() };
}

/** Returns all errors in examples of the document. */
function documentedErrors(): ErrorObject[] {
  const contents = operationsOf(document).flatMap(({ responses }) => Object.values(responses));
  const values = contents.flatMap(({ content }): unknown[] => {
    const { example, examples = {} } = content?.['application/json'] ?? {};
    return [example, ...Object.values(examples).map((named) => ('value' in named ? named.value : undefined))];
  });
  return values.filter(isError);
}

function isError(value: unknown): value is ErrorObject {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
