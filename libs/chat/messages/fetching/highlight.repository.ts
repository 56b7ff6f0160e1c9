import { Injectable } from '@nestjs/common';
import type { Session } from '#platform/database';
import { SEARCH_CONFIG } from '../narrows/narrow-conditions.js';
import { spellingsOf } from '../narrows/spellings.rules.js';
import type { SearchText } from '../narrows/term.js';
import { MATCH_ENDS, MATCH_STARTS } from './highlight.rules.js';

const OPTIONS = `HighlightAll=true, StartSel="${MATCH_STARTS}", StopSel="${MATCH_ENDS}"`;

// The text of a parsed query is cast back to a query, which keeps its stems.
const MARK = `
  WITH searched AS (
    SELECT coalesce(string_agg('(' || one.query::text || ')', ' & '), '')::tsquery AS query
    FROM (
      SELECT plainto_tsquery(${SEARCH_CONFIG}, given) AS query FROM unnest($2::text[]) AS given
    ) AS one
    WHERE numnode(one.query) > 0
  )
  SELECT CASE WHEN numnode(searched.query) = 0 THEN given.html
    ELSE ts_headline(${SEARCH_CONFIG}, given.html, searched.query, $3) END AS marked
  FROM unnest($1::text[]) WITH ORDINALITY AS given (html, number) CROSS JOIN searched
  ORDER BY given.number`;

/** Finds the matches of searches in texts. */
@Injectable()
export class HighlightRepository {
  /** The HTML texts in the same order, with marks around each word of the searches: one statement. */
  async mark(
    session: Session,
    htmls: readonly string[],
    searches: readonly SearchText[],
  ): Promise<string[]> {
    const texts = searches.flatMap(({ words, phrases }) =>
      [words, ...phrases].flatMap(spellingsOf),
    );
    const values = [htmls, texts, OPTIONS];
    const rows = await session.query<{ marked: string }>('mark_matches', MARK, values);
    return rows.map(({ marked }) => marked);
  }
}
