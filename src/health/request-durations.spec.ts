import { describe, expect, it } from '@jest/globals';
import { RequestDurations } from './request-durations.js';

/** Name and labels of each sample, with its value. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

describe('the histogram of durations', () => {
  it('counts each request in its bucket and all above it, the bound included', () => {
    const durations = new RequestDurations();
    for (const seconds of [0.0004, 0.001, 0.0011, 60]) durations.observe('/v1/pets', 'GET', 200, seconds);
    const samples = samplesOf(durations.text());
    const bucket = (bound: string) => samples.get(`http_request_duration_seconds_bucket{le="${bound}",method="GET",route="/v1/pets",status="200"}`);
    expect(['0.0005', '0.001', '0.0025', '5', '+Inf'].map(bucket)).toEqual([1, 2, 3, 3, 4]);
    expect(samples.get('http_request_duration_seconds_count{method="GET",route="/v1/pets",status="200"}')).toBe(4);
    expect(samples.get('http_request_duration_seconds_sum{method="GET",route="/v1/pets",status="200"}')).toBeCloseTo(60.0025);
  });

  it('keeps routes, methods and statuses apart', () => {
    const durations = new RequestDurations();
    for (const [route, method, status] of [['/a', 'GET', 200], ['/b', 'GET', 200], ['/a', 'POST', 200], ['/a', 'GET', 404]] as const) {
      durations.observe(route, method, status, 1);
    }
    const counts = [...samplesOf(durations.text())].filter(([name]) => name.startsWith('http_request_duration_seconds_count'));
    expect(counts.map(([, count]) => count)).toEqual([1, 1, 1, 1]);
  });

  it('is text that Prometheus reads, with or without requests', () => {
    const text = new RequestDurations().text();
    expect(text).toMatch(/^# HELP http_request_duration_seconds .+\n# TYPE http_request_duration_seconds histogram\n$/);
  });
});
