// Whole documents as strangers write them: a checklist, tables, a handbook of mixed levels.
import { expect, it } from 'vitest';
import { readStranger } from './stranger.ts';

it('a checklist in the style of GitHub', () => {
  const document = readStranger(`
# 🚀 Release checklist

> Follow the phases in order. See [the wiki](https://example.org/phase-2).

## Overview

- Phase 1 prepares
- Phase 2 ships

## 📌 Phase 1. Prepare

Make sure §main§ is green and §CHANGELOG.md§ is up to date.

- [x] Run §npm ci§
- [ ] Run §npm test -- --coverage§
- [ ] §git§ must be configured

**Evidence required:**

- [ ] §commit_sha§ – the full hash, at least 40 characters
- [ ] §test_summary§ – output of the test run (must contain "0 failed")
- [ ] §open_issues§ (list) – may be empty
- [ ] ~~§old_field§ – required~~

<details>
<summary>Why?</summary>

- §commit_sha§ lets us find the build again

</details>

## 📌 Phase 2. Ship

1. Tag it: §git tag v1.2.3§
2. Push it.

### ✅ Phase 2 checkpoint

* [ ] §tag_name§: string, e.g. §v1.2.3§
* [ ] §is_published§: must be §true§
* [ ] §channel§: one of §stable§, §beta§ or §nightly§
* [ ] §rollout_percent§: between 1 and 100
* [ ] Download size (§size_bytes§), an integer greater than 0

### Notes

- §npm§ takes a minute to show the version
- §latest§ moves by itself

# Appendix

- §registry_url§: required by nobody
`);
  expect(document).toEqual({
    title: '🚀 Release checklist',
    problems: [],
    phases: {
      'Phase 1. Prepare': {
        commit_sha: { type: 'string', min_length: 40 },
        test_summary: { type: 'string', min_length: 1, contains: ['0 failed'] },
        open_issues: { type: 'list', min_length: 0 },
      },
      'Phase 2. Ship': {
        tag_name: { type: 'string', example: 'v1.2.3' },
        is_published: { type: 'boolean', choices: ['true'] },
        channel: { type: 'string', choices: ['stable', 'beta', 'nightly'] },
        rollout_percent: { type: 'number', min: 1, max: 100 },
        size_bytes: { type: 'integer', above: 0 },
      },
    },
  });
});

it('a document of tables with front matter', () => {
  const document = readStranger(`
---
title: Data migration
owner: platform
---

Intro text that belongs to nobody.

Phase 1: Inventory
------------------

| Tool | Purpose |
|------|---------|
| §psql§ | at least version 14 |
| §jq§ | required |

| Field | Type | Required | Description | Example |
|:------|:----:|:--------:|-------------|---------|
| §table_count§ | int | ✓ | tables found, at least 1 | 12 |
| §table_names§ | array | ✓ | every table | §["users"]§ |
| §largest_table_rows§ | integer | ✗ | row count | 1000000 |
| **Notes** | text | optional | anything odd | |
| §dry_run§ | bool | yes | | true |

Phase 2: Copy
-------------

Evidence:

| What | How |
|---|---|
| §rows_copied_count§ | greater than zero |
| §duration_seconds§ | number, at most 3600 |
| some remark | nothing to see |
| §checksum§ | exactly 64 characters |

Phase 3: Switch
---------------

| Name | Optional | Rule |
|---|---|---|
| §switched_at§ | no | non-empty text |
| §rollback_plan§ | yes | text |
`);
  expect(document).toEqual({
    title: 'Data migration',
    problems: [],
    phases: {
      'Phase 1: Inventory': {
        table_count: { type: 'integer', min: 1, example: 12 },
        table_names: { type: 'list', example: ['users'] },
        largest_table_rows: { type: 'integer', required: false, example: 1000000 },
        notes: { type: 'string', required: false },
        dry_run: { type: 'boolean', example: true },
      },
      'Phase 2: Copy': {
        rows_copied_count: { type: 'integer', above: 0 },
        duration_seconds: { type: 'number', max: 3600 },
        checksum: { type: 'string', min_length: 64, max_length: 64 },
      },
      'Phase 3: Switch': {
        switched_at: { type: 'string', min_length: 1 },
        rollback_plan: { type: 'string', required: false },
      },
    },
  });
});

it('a handbook whose phases stand on every level of heading', () => {
  const document = readStranger(`
# Handbook

# Phase 1: Start

Provide §a_count§.

## Evidence

- **Count**: integer
- **Groups**
  - §left§: integer
  - §right§: integer

### Optional

- §remark§

## Examples

- §ignored§: integer

### Phase 2 - Middle

#### Phase 2.1: Detail

- §detail_x§: required, with nested attributes
  - **Type:** list
  - **Required:** no
  - At least 2 entries
  - Example: §["p", "q"]§

#### Phase 2 summary

text

##### Checkpoint

- §report§ (object) with
  - §passed§: integer
  - §failed§: integer

###### Phase 3

Checkpoint: none

## Part two

Free text with §stray_field§: required.

## Phase 4/4: End

You must provide:

1. §done_flag§
2. §elapsed§ (float)

Then run:

- §cleanup§
- §archive§
`);
  expect(document).toEqual({
    title: 'Handbook',
    problems: [],
    phases: {
      'Phase 1: Start': {
        a_count: { type: 'integer' },
        count: { type: 'integer' },
        left: { type: 'integer' },
        right: { type: 'integer' },
        remark: { type: 'string', required: false },
      },
      'Phase 2 - Middle': {
        detail_x: { type: 'list', required: false, min_length: 2, example: ['p', 'q'] },
        report: { type: 'object' },
      },
      'Phase 3': {},
      'Phase 4/4: End': { done_flag: { type: 'boolean' }, elapsed: { type: 'number' } },
    },
  });
});
