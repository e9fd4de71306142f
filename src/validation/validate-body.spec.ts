import { describe, expect, it } from '@jest/globals';
import { IsIn, IsOptional, MaxLength, MinLength, ValidateIf, ValidateNested } from 'class-validator';
import { rulesOf } from './rules.js';
import { validateBody } from './validate-body.js';

class Base {
  @MinLength(2)
  @MaxLength(5)
  name?: string;
}

class Plain extends Base {
  @IsOptional()
  @IsIn(['a', 'b'])
  kind?: string | null;

  @ValidateIf(({ kind }: Plain) => kind === 'b')
  @IsIn([1])
  only?: number;
}

class WithEach {
  @IsIn(['a'], { each: true })
  kinds?: string[];
}

class WithCondition {
  @IsIn(['a'], { validateIf: (_, value) => value !== 'skip' })
  kind?: string;
}

class Nested {
  @ValidateNested()
  inner?: Plain;
}

class WithoutRules {
  name?: string;
}

const faults = (read: () => unknown) => {
  try {
    return read();
  } catch (error) {
    return (error as Error).message;
  }
};

describe('validateBody', () => {
  it.each([
    [Plain, { name: 'Rex' }],
    [Plain, { name: 'Rex', kind: null }],
    [Plain, { name: 'Rex', kind: 'a', only: 7 }],
    [Plain, { name: 'Rex', kind: 'b', only: 1 }],
    [WithEach, { kinds: ['a', 'a'] }],
    [WithCondition, { kind: 'skip' }],
  ])('takes into %p what keeps its rules: %j', (Dto: new () => object, body) => {
    const dto = validateBody(Dto, body);
    expect(dto).toBeInstanceOf(Dto);
    expect({ ...dto }).toEqual(body);
  });

  it.each([
    [Plain, {}, 'name must be shorter than or equal to 5 characters.'],
    [Plain, { name: 'R' }, 'name must be longer than or equal to 2 characters.'],
    [Plain, { name: 'Rexius' }, 'name must be shorter than or equal to 5 characters.'],
    [Plain, { name: 'Rex', kind: 'c' }, 'kind must be one of the following values: a, b.'],
    [Plain, { name: 'Rex', kind: 'b', only: 7 }, 'only must be one of the following values: 1.'],
    [Plain, { name: 'Rex', other: 1 }, '"other" is not a known field.'],
    [Plain, { name: 'R', other: 1 }, '"other" is not a known field; name must be longer than or equal to 2 characters.'],
    [WithoutRules, { other: 1 }, '"other" is not a known field.'],
    [WithEach, { kinds: ['a', 'c'] }, 'each value in kinds must be one of the following values: a.'],
    [WithCondition, { kind: 'c' }, 'kind must be one of the following values: a.'],
  ])('names what is wrong with %p: %j', (Dto: new () => object, body, message) => {
    expect(faults(() => validateBody(Dto, body))).toBe(message);
  });
});

const keepsRules = (dto: object) => rulesOf(dto.constructor).areKept(dto);

describe('rulesOf', () => {
  it('names the fields that have rules, inherited ones too', () => {
    expect([...rulesOf(Plain).names].toSorted()).toEqual(['kind', 'name', 'only']);
  });

  it('is certain of rules for one value each, inherited ones too', () => {
    expect(keepsRules(Object.assign(new Plain(), { name: 'Rex' }))).toBe(true);
    expect(keepsRules(Object.assign(new Plain(), { name: 'R' }))).toBe(false);
  });

  it('leaves rules of other kinds to class-validator', () => {
    expect(keepsRules(Object.assign(new WithEach(), { kinds: ['a'] }))).toBe(false);
    expect(keepsRules(Object.assign(new WithCondition(), { kind: 'a' }))).toBe(false);
    expect(keepsRules(Object.assign(new Nested(), { inner: Object.assign(new Plain(), { name: 'Rex' }) }))).toBe(false);
  });
});
