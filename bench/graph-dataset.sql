-- 200,000 concepts and 1,000,000 links, the same on every server. Runs on a migrated, empty database.
insert into concepts (id, name) select n, 'concept ' || n from generate_series(1, 200000) n;

-- A complete graph (1 to 300), a chain (301 to 1300) and a cycle (1301 to 2300), apart from the rest.
insert into links (from_concept_id, to_concept_id, relation_type)
select a, b, 'knows' from generate_series(1, 300) a, generate_series(1, 300) b where a <> b
union all select n, n + 1, 'next' from generate_series(301, 1299) n
union all select n, case when n = 2300 then 1301 else n + 1 end, 'next'
from generate_series(1301, 2300) n;

-- Five hubs that are linked with each other and themselves, and 5,000 pairs with four links each.
insert into links (from_concept_id, to_concept_id, relation_type)
select 2301, 2311 + n * 3, 'part_of' from generate_series(1, 50000) n
union all select 2311 + n * 4, 2302, 'is_a' from generate_series(1, 40000) n
union all select 2303, 2311 + n * 7, 'uses' from generate_series(1, 15000) n
union all select 2311 + n * 5, 2303, 'causes' from generate_series(1, 15000) n
union all select 2304, 2311 + n * 11, 'uses' from generate_series(1, 10000) n
union all select 2311 + n * 13, 2305, 'uses' from generate_series(1, 10000) n
union all select a, b, type from generate_series(2301, 2305) a, generate_series(2301, 2305) b,
  unnest(array['knows', 'related_to']) type
union all select 2311 + n * 17, 2311 + n * 19, type from generate_series(1, 5000) n,
  unnest(array['next', 'knows', 'causes', 'located_in']) type;

-- The rest by a power law of its own each way, until there are a million.
select setseed(0.42);
create temp table drawn as
select 2301 + (floor(197700 * power(random(), 3))::bigint * 7919) % 197700 as a,
  2301 + (floor(197700 * power(random(), 4))::bigint * 15013) % 197700 as b,
  (array['is_a', 'part_of', 'knows', 'causes', 'related_to', 'located_in', 'uses', 'next'])
    [1 + floor(8 * power(random(), 2))::int] as type
from generate_series(1, 1400000) n;
insert into links (from_concept_id, to_concept_id, relation_type)
select a, b, type from (select distinct a, b, type from drawn) d
where not exists (
  select from links l where l.from_concept_id = a and l.to_concept_id = b and l.relation_type = type
)
order by hashint8(a * 31 + b), a, b, type limit 1000000 - (select count(*) from links);
drop table drawn;
