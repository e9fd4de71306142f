/**
 * @typedef {object} Parts of a sample
 * @property {string} url a literal, as is the method, each name and value of a header, and the body
 * @property {string} method
 * @property {readonly (readonly [name: string, value: string])[]} headers
 * @property {string} [body]
 * @property {string} [contentType]
 * @property {boolean} needsKey
 */

/**
 * How each language writes a request. The key comes from the environment variable `API_KEY`.
 * @type {Readonly<Record<string, { quote: (text: string) => string, write: (parts: Parts) => readonly string[] }>>}
 */
const TEMPLATES = {
  Go: {
    quote: (text) => JSON.stringify(text),
    write: ({ url, method, headers, body, needsKey }) => [
      'package main',
      '',
      'import (',
      '\t"fmt"',
      '\t"io"',
      '\t"net/http"',
      ...(needsKey ? ['\t"os"'] : []),
      ...(body === undefined ? [] : ['\t"strings"']),
      ')',
      '',
      'func main() {',
      `\trequest, err := http.NewRequest(${method}, ${url}, ${body === undefined ? 'nil' : `strings.NewReader(${body})`})`,
      ...failing(),
      ...(needsKey ? ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))'] : []),
      ...headers.map(([name, value]) => `\trequest.Header.Set(${name}, ${value})`),
      '\tresponse, err := http.DefaultClient.Do(request)',
      ...failing(),
      '\tdefer response.Body.Close()',
      '\ttext, err := io.ReadAll(response.Body)',
      ...failing(),
      '\tfmt.Println(response.StatusCode, string(text))',
      '}',
    ],
  },
  Java: {
    // The compiler of older versions does not read UTF-8 by default.
    quote: (text) =>
      JSON.stringify(text).replaceAll(
        /[^ -~]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    write: ({ url, method, headers, body, needsKey }) => [
      'import java.net.URI;',
      'import java.net.http.HttpClient;',
      'import java.net.http.HttpRequest;',
      'import java.net.http.HttpResponse;',
      '',
      'class Sample {',
      '    public static void main(String[] args) throws Exception {',
      `        var request = HttpRequest.newBuilder(URI.create(${url}))`,
      `            .method(${method}, HttpRequest.BodyPublishers.${body === undefined ? 'noBody()' : `ofString(${body})`})`,
      ...(needsKey ? ['            .header("Authorization", "Bearer " + System.getenv("API_KEY"))'] : []),
      ...headers.map(([name, value]) => `            .header(${name}, ${value})`),
      '            .build();',
      '        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());',
      '        System.out.println(response.statusCode() + " " + response.body());',
      '    }',
      '}',
    ],
  },
  'C#': {
    quote: (text) => JSON.stringify(text),
    write: ({ url, method, headers, body, contentType, needsKey }) => [
      ...(body === undefined ? [] : ['using System.Net.Http.Headers;', 'using System.Text;', '']),
      'using var client = new HttpClient();',
      `using var request = new HttpRequestMessage(new HttpMethod(${method}), ${url});`,
      ...(needsKey
        ? [
            'request.Headers.TryAddWithoutValidation("Authorization", "Bearer " + Environment.GetEnvironmentVariable("API_KEY"));',
          ]
        : []),
      ...headers
        .filter(([name]) => !/^"content-type"$/i.test(name))
        .map(([name, value]) => `request.Headers.TryAddWithoutValidation(${name}, ${value});`),
      ...(body === undefined
        ? []
        : [
            `request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(${body}));`,
            ...(contentType === undefined
              ? []
              : [`request.Content.Headers.ContentType = MediaTypeHeaderValue.Parse(${contentType});`]),
          ]),
      'using var response = await client.SendAsync(request);',
      'Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");',
    ],
  },
  PHP: {
    quote: (text) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`,
    write: ({ url, method, headers, body, needsKey }) => [
      '<?php',
      `$curl = curl_init(${url});`,
      'curl_setopt_array($curl, [',
      `    CURLOPT_CUSTOMREQUEST => ${method},`,
      '    CURLOPT_HTTPHEADER => [',
      ...(needsKey ? ["        'Authorization: Bearer ' . getenv('API_KEY'),"] : []),
      ...headers.map(([name, value]) => `        ${name} . ': ' . ${value},`),
      '    ],',
      ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => ${body},`]),
      '    CURLOPT_RETURNTRANSFER => true,',
      ']);',
      '$body = curl_exec($curl);',
      "echo curl_getinfo($curl, CURLINFO_RESPONSE_CODE), ' ', $body === false ? curl_error($curl) : $body, PHP_EOL;",
    ],
  },
};

/** What Go does after each call that can fail. */
function failing() {
  return ['\tif err != nil {', '\t\tpanic(err)', '\t}'];
}

/** @type {Readonly<Record<string, (request: import('./sample-code.js').SampleRequest) => string>>} */
export const MORE_LANGUAGES = Object.fromEntries(
  Object.entries(TEMPLATES).map(([language, { quote, write }]) => [
    language,
    ({ url, method, headers, body, needsKey }) => {
      const contentType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
      return write({
        url: quote(url),
        method: quote(method),
        headers: headers.map(([name, value]) => /** @type {const} */ ([quote(name), quote(value)])),
        ...(body !== undefined && { body: quote(body) }),
        ...(contentType !== undefined && { contentType: quote(contentType) }),
        needsKey,
      }).join('\n');
    },
  ]),
);
