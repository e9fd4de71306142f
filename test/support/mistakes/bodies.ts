type Mistake = readonly [body: string, message: string];

const INT64 = 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807.';
const VISIBLE = 'name must have at least one visible character.';
const SCOPES =
  'pets:read, pets:write, categories:read, categories:write, orders:read, orders:write, usage:read, events:read, keys:manage';
export const didYouMean = (name?: string) => (name === undefined ? '' : `did you mean ${name}? `);
const unknown = (field: string, meant?: string) =>
  `"${field}" is not a known field (${didYouMean(meant)}known: name, categoryId, status)`;
const alsoUnknown = (field: string) => `"${field}" is not a known field`;
const notJson = (column: number, fault: string, line = 1) =>
  `The request body is not valid JSON at line ${line}, column ${column}: ${fault}.`;
const SEND_JSON = 'Send a JSON body with Content-Type: application/json';

/** Mistakes in the body of createPet, and the message of the 400 `validation_failed`. */
export const BODY_MISTAKES: readonly Mistake[] = [
  ['{}', 'name is required; categoryId is required.'],
  ['{"name":5,"categoryId":1}', 'name must be a string, not an integer (put it in quotes).'],
  ['{"name":true,"categoryId":1}', 'name must be a string, not a boolean (put it in quotes).'],
  ['{"name":null,"categoryId":1}', 'name must be a string, not null.'],
  ['{"name":["Bella"],"categoryId":1}', 'name must be a string, not a list.'],
  ['{"name":{"first":"Bella"},"categoryId":1}', 'name must be a string, not an object.'],
  ['{"name":"","categoryId":1}', 'name must have 1 to 255 characters, not 0.'],
  [`{"name":"${'🐶'.repeat(256)}","categoryId":1}`, 'name must have 1 to 255 characters, not 256.'],
  ['{"name":"  ","categoryId":1}', VISIBLE],
  ['{"name":"\\u200b","categoryId":1}', VISIBLE],
  ['{"name":"a\\nb","categoryId":1}', 'name must not have control characters.'],
  ['{"name":"\\n","categoryId":1}', 'name must not have control characters.'],
  ['{"name":"a\\ud83d","categoryId":1}', 'name must not have lone surrogates, which are half a character.'],
  ['{"name":"Bella","categoryId":"3"}', 'categoryId must be an integer, not a string (send it without quotes).'],
  ['{"name":"Bella","categoryId":"dogs"}', 'categoryId must be an integer, not a string.'],
  ['{"name":"Bella","categoryId":null}', 'categoryId must be an integer, not null.'],
  ['{"name":"Bella","categoryId":1.5}', 'categoryId must be an integer, not a number with a fraction.'],
  ['{"name":"Bella","categoryId":9223372036854775808}', INT64],
  ['{"name":"Bella","categoryId":1e30}', INT64],
  ['{"name":"Bella","categoryId":1,"status":"Available"}', 'status must be one of available, pending, sold.'],
  ['{"name":"Bella","categoryId":1,"status":null}', 'status must be a string, not null (leave it out instead).'],
  ['{"nmae":"Bella","categoryId":1}', `${unknown('nmae', 'name')}; name is required.`],
  ['{"Name":"Bella","categoryId":1}', `${unknown('Name', 'name')}; name is required.`],
  ['{"name":"Bella","category_id":1}', `${unknown('category_id', 'categoryId')}; categoryId is required.`],
  ['{"name":"Bella","categoryID":1}', `${unknown('categoryID', 'categoryId')}; categoryId is required.`],
  ['{"name":"Bella","category":1}', `${unknown('category', 'categoryId')}; categoryId is required.`],
  [
    '{"name":"Bella","categoryId":1,"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}',
    `${unknown('a')}; ${alsoUnknown('b')}; ${alsoUnknown('c')}; ${alsoUnknown('d')}; ${alsoUnknown('e')}.`,
  ],
  [
    '{"name":1,"categoryId":"1","status":"x","nmae":1}',
    `${unknown('nmae', 'name')}; name must be a string, not an integer (put it in quotes); and more.`,
  ],
  ['[{"name":"Bella","categoryId":1}]', 'The request body must be a JSON object.'],
  ['null', 'The request body must be a JSON object.'],
  ['{"name":"Bella","name":"Milo","categoryId":1}', '"name" must be given only once.'],
  [
    '{"psk_live_0123456789":"x","name":"Bella","categoryId":1}',
    'an unknown field was sent (known: name, categoryId, status).',
  ],
];

/** Mistakes in the body of createKey. */
const KEY_MISTAKES: readonly Mistake[] = [
  ['{"scopes":"pets:read"}', 'scopes must be a list, not a string.'],
  ['{"scopes":["pets:reed"]}', `scopes must contain only known scopes: ${SCOPES}, webhooks:manage.`],
  ['{"scopes":["pets"]}', `scopes must contain only ${SCOPES}, and more, not "pets".`],
  ['{"scopes":["*"]}', `scopes must contain only ${SCOPES}, and more, not "*".`],
  ['{"scopes":["pets:read",1]}', `scopes must contain only ${SCOPES}, and more.`],
  ['{"scopes":["pets:read","pets:read"]}', 'scopes must have unique items.'],
  ['{"scopes":[]}', 'scopes must have 1 to 100 items, not 0.'],
  ['{"expiresInSeconds":0}', 'expiresInSeconds must be an integer from 1 to 3155760000.'],
  [JSON.stringify({ scopes: Array(101).fill('pets:read') }), 'scopes must have 1 to 100 items, not 101.'],
  ['{"name":""}', 'name must have 1 to 100 characters, not 0.'],
  ['{"name":"a\\u2028b"}', 'name must not have control characters, line separators or bidirectional controls.'],
  [
    '{"scope":["pets:read"]}',
    '"scope" is not a known field (did you mean scopes? known: name, scopes, expiresInSeconds).',
  ],
];

/** Mistakes in other bodies. */
export const OTHER_BODY_MISTAKES: readonly (readonly [method: string, path: string, ...mistake: Mistake])[] = [
  ['PATCH', '/v1/pets/1', '{"status":"gone"}', 'status must be one of available, pending, sold, or be null.'],
  ['POST', '/v1/store/orders', '{"petId":0}', 'petId must be an integer from 1 to 9223372036854775807.'],
  [
    'POST',
    '/v1/store/orders',
    '{"pet_id":1}',
    '"pet_id" is not a known field (did you mean petId? known: petId); petId is required.',
  ],
  ['POST', '/v1/store/orders', '{"petId":1,"quantity":2}', '"quantity" is not a known field (known: petId).'],
  ['POST', '/v1/categories', '{"name":"x","description":"x"}', '"description" is not a known field (known: name, id).'],
  ...KEY_MISTAKES.map((mistake) => ['POST', '/v1/keys', ...mistake] as const),
];

/** Bodies that are not JSON, and the message of the 400 `malformed_json`. */
export const JSON_MISTAKES: readonly Mistake[] = [
  ['', 'The request body is empty, but must be JSON.'],
  [' ', 'The request body is empty, but must be JSON.'],
  ['{"name":"Bella","categoryId":3,}', notJson(32, 'remove the comma before it')],
  ['{"name":"Bella" "categoryId":3}', notJson(17, 'comma expected')],
  ["{'name':'Bella','categoryId':3}", notJson(2, 'names and strings need double quotes')],
  ['{name:"Bella","categoryId":3}', notJson(2, 'names and strings need double quotes')],
  ['{"name":Bella,"categoryId":3}', notJson(9, 'names and strings need double quotes')],
  ['{"name":"Bella,"categoryId":3}', notJson(17, 'a quote or a comma is missing before it')],
  ['{"name":"Bella","categoryId":3', notJson(31, 'the end is missing')],
  ['{"name":"Bella', notJson(9, 'the string has no closing quote, or has a line break')],
  ['{"name" "Bella"}', notJson(9, 'colon expected')],
  ['{"name":"Bella","categoryId":}', notJson(30, 'value expected')],
  ['// a pet\n{"name":"Bella"}', notJson(1, 'JSON has no comments')],
  ['{"name":"Bella","categoryId":NaN}', notJson(30, 'only true, false and null have no quotes')],
  ['{"name":"Bella","categoryId":undefined}', notJson(30, 'only true, false and null have no quotes')],
  ['{"name":True}', notJson(9, 'only true, false and null have no quotes')],
  ['name=Bella&categoryId=3', notJson(1, 'names and strings need double quotes')],
  ['{\n  "name": "Bella",\n  "categoryId": 3,\n}', notJson(1, 'remove the comma before it', 4)],
  ['{“name”:"Bella"}', notJson(2, 'names and strings need double quotes')],
  ['{"name":"a\nb"}', notJson(9, 'the string has no closing quote, or has a line break')],
  ['{"name":"C:\\pets"}', notJson(9, 'a backslash in a string is written \\\\')],
  ['[1,2,]', notJson(6, 'remove the comma before it')],
  ['{"name":"a\tb"}', notJson(9, 'a control character in a string is written such as \\n or \\u0009')],
  ['{"id":+1}', notJson(7, 'a number is written such as 5, -5, 0.5 or 1e3')],
  ['{"id":1_000}', notJson(8, 'a number is written such as 5, -5, 0.5 or 1e3')],
  ['{"name":"Bella"} # new', notJson(18, 'nothing can follow the JSON value')],
  [
    '\ufeff{"name":"Bella","categoryId":3}',
    'The request body begins with a byte-order mark, which JSON must not have.',
  ],
  ['<pet/>', notJson(1, 'this is XML or HTML')],
];

/** Media types of bodies, and the message of the 415. */
export const MEDIA_TYPE_MISTAKES: readonly (readonly [type: string, message: string])[] = [
  [
    'application/x-www-form-urlencoded',
    `${SEND_JSON}, not application/x-www-form-urlencoded (the default of curl -d).`,
  ],
  ['text/plain', `${SEND_JSON}, not text/plain.`],
  ['multipart/form-data; boundary=x', `${SEND_JSON}, not multipart/form-data.`],
  ['text/json', `${SEND_JSON}, not text/json.`],
  ['application/jsonx', `${SEND_JSON}.`],
  ['application/xml', `${SEND_JSON}, not application/xml.`],
  ['application/merge-patch+json', `${SEND_JSON}, not application/merge-patch+json.`],
  ['application/json; charset=latin1', 'Content-Type can have no parameter other than charset=utf-8.'],
  ['application/vnd.api+json', `${SEND_JSON}.`],
];
