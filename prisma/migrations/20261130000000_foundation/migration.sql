-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "core";

-- CreateEnum
CREATE TYPE "core"."role" AS ENUM ('member', 'admin');

-- CreateEnum
CREATE TYPE "core"."token_kind" AS ENUM ('user', 'agent', 'worker');

-- CreateEnum
CREATE TYPE "core"."player_kind" AS ENUM ('user', 'llm', 'system');

-- CreateTable
CREATE TABLE "concepts" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "timestamp" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "llm_id" TEXT,
    "folded_name" TEXT COLLATE "C",
    "name_search" tsvector,
    "search" tsvector,

    CONSTRAINT "concepts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "links" (
    "id" BIGSERIAL NOT NULL,
    "from_concept_id" BIGINT NOT NULL,
    "to_concept_id" BIGINT NOT NULL,
    "relation_type" TEXT NOT NULL,
    "timestamp" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "llm_id" TEXT,

    CONSTRAINT "links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "core"."users" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "login" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "role" "core"."role" NOT NULL DEFAULT 'member',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "core"."groups" (
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "groups_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "core"."group_members" (
    "group_key" TEXT NOT NULL,
    "user_id" UUID NOT NULL,

    CONSTRAINT "group_members_pkey" PRIMARY KEY ("group_key","user_id")
);

-- CreateTable
CREATE TABLE "core"."api_tokens" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "kind" "core"."token_kind" NOT NULL,
    "user_id" UUID NOT NULL,
    "llm_id" TEXT,
    "secret_hash" CHAR(64) NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "llm_registry" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "registered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "llm_registry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "core"."players" (
    "hash" CHAR(64) NOT NULL,
    "kind" "core"."player_kind" NOT NULL,
    "user_id" UUID,
    "llm_id" TEXT,

    CONSTRAINT "players_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "core"."hashtags" (
    "hash" CHAR(64) NOT NULL,
    "tag" TEXT NOT NULL,

    CONSTRAINT "hashtags_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "core"."key_value" (
    "code" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "key_value_pkey" PRIMARY KEY ("code","key")
);

-- CreateTable
CREATE TABLE "core"."chats" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "title" TEXT,
    "owner_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chats_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "concepts_name_key" ON "concepts"("name");

-- CreateIndex
CREATE INDEX "concepts_timestamp_id_idx" ON "concepts"("timestamp", "id");

-- CreateIndex
CREATE INDEX "concepts_folded_name_id_idx" ON "concepts"("folded_name", "id");

-- CreateIndex
CREATE INDEX "concepts_name_search_idx" ON "concepts" USING GIN ("name_search");

-- CreateIndex
CREATE INDEX "concepts_search_idx" ON "concepts" USING GIN ("search");

-- CreateIndex
CREATE INDEX "concepts_llm_id_idx" ON "concepts"("llm_id");

-- CreateIndex
CREATE INDEX "links_from_concept_id_to_concept_id_idx" ON "links"("from_concept_id", "to_concept_id");

-- CreateIndex
CREATE INDEX "links_to_concept_id_from_concept_id_idx" ON "links"("to_concept_id", "from_concept_id");

-- CreateIndex
CREATE INDEX "links_to_concept_id_relation_type_from_concept_id_idx" ON "links"("to_concept_id", "relation_type", "from_concept_id");

-- CreateIndex
CREATE INDEX "links_relation_type_idx" ON "links"("relation_type");

-- CreateIndex
CREATE INDEX "links_llm_id_idx" ON "links"("llm_id");

-- CreateIndex
CREATE UNIQUE INDEX "links_from_concept_id_relation_type_to_concept_id_key" ON "links"("from_concept_id", "relation_type", "to_concept_id");

-- CreateIndex
CREATE UNIQUE INDEX "users_login_key" ON "core"."users"("login");

-- CreateIndex
CREATE INDEX "group_members_user_id_idx" ON "core"."group_members"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_secret_hash_key" ON "core"."api_tokens"("secret_hash");

-- CreateIndex
CREATE INDEX "api_tokens_user_id_idx" ON "core"."api_tokens"("user_id");

-- CreateIndex
CREATE INDEX "api_tokens_llm_id_idx" ON "core"."api_tokens"("llm_id");

-- CreateIndex
CREATE UNIQUE INDEX "players_user_id_key" ON "core"."players"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "players_llm_id_key" ON "core"."players"("llm_id");

-- CreateIndex
CREATE UNIQUE INDEX "hashtags_tag_key" ON "core"."hashtags"("tag");

-- CreateIndex
CREATE INDEX "chats_owner_id_idx" ON "core"."chats"("owner_id");

-- AddForeignKey
ALTER TABLE "concepts" ADD CONSTRAINT "concepts_llm_id_fkey" FOREIGN KEY ("llm_id") REFERENCES "llm_registry"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "links" ADD CONSTRAINT "links_from_concept_id_fkey" FOREIGN KEY ("from_concept_id") REFERENCES "concepts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "links" ADD CONSTRAINT "links_to_concept_id_fkey" FOREIGN KEY ("to_concept_id") REFERENCES "concepts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "links" ADD CONSTRAINT "links_llm_id_fkey" FOREIGN KEY ("llm_id") REFERENCES "llm_registry"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "core"."group_members" ADD CONSTRAINT "group_members_group_key_fkey" FOREIGN KEY ("group_key") REFERENCES "core"."groups"("key") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "core"."group_members" ADD CONSTRAINT "group_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "core"."users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "core"."api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "core"."users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "core"."api_tokens" ADD CONSTRAINT "api_tokens_llm_id_fkey" FOREIGN KEY ("llm_id") REFERENCES "llm_registry"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "core"."players" ADD CONSTRAINT "players_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "core"."users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "core"."players" ADD CONSTRAINT "players_llm_id_fkey" FOREIGN KEY ("llm_id") REFERENCES "llm_registry"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "core"."chats" ADD CONSTRAINT "chats_owner_id_fkey" FOREIGN KEY ("owner_id") REFERENCES "core"."users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;


-- Text search (docs/api.md). Extensions that any owner of a database may install.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";
CREATE EXTENSION IF NOT EXISTS "unaccent";

-- unaccent() is only STABLE, because its rules could be edited; ours are the ones that ship with it.
CREATE FUNCTION "core"."unaccented"("value" text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT unaccent('unaccent'::regdictionary, "value");
END;

-- Lower case by the rules of Unicode where PostgreSQL was built with ICU, as it nearly always is: the
-- LC_CTYPE of a database may know ASCII alone.
DO $$
BEGIN
  EXECUTE format(
    'CREATE FUNCTION "core"."lowered"("value" text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE BEGIN ATOMIC SELECT lower("value" %s); END',
    (SELECT 'COLLATE "und-x-icu"' FROM pg_collation
     WHERE "collname" = 'und-x-icu' AND "collnamespace" = 'pg_catalog'::regnamespace));
END $$;

-- A text without case and accents, for comparisons that should not see them.
CREATE FUNCTION "core"."folded"("value" text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT "core"."lowered"("core"."unaccented"("value"));
END;

-- The same as part of a LIKE pattern that it stands for itself in. Escaped after folding, which makes
-- wildcards of some characters: of a full-width percent sign a plain one.
CREATE FUNCTION "core"."folded_pattern"("value" text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT regexp_replace("core"."folded"("value"), '[\\%_]', '\\\&', 'g');
END;

-- Stems of three languages and the unaccented words. A tsvector ends at 1 MB, which 40,000 characters
-- of distinct words in four forms stay under; what comes after them is kept but not searched.
CREATE FUNCTION "core"."search_vector"("value" text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT to_tsvector('pg_catalog.russian'::regconfig, "t")
    || to_tsvector('pg_catalog.english'::regconfig, "t")
    || to_tsvector('pg_catalog.spanish'::regconfig, "t")
    || to_tsvector('pg_catalog.simple'::regconfig, "core"."unaccented"("t"))
  FROM (SELECT "core"."lowered"(left("value", 40000))) AS "cut"("t");
END;

-- Words and "phrases" that a text has in one of these languages. What it should be without is negated
-- outside: the negation of one language's stem would let the other languages' stems pass.
CREATE FUNCTION "core"."search_query"("value" text) RETURNS tsquery
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT websearch_to_tsquery('pg_catalog.russian'::regconfig, "t")
    || websearch_to_tsquery('pg_catalog.english'::regconfig, "t")
    || websearch_to_tsquery('pg_catalog.spanish'::regconfig, "t")
    || websearch_to_tsquery('pg_catalog.simple'::regconfig, "core"."unaccented"("t"))
  FROM (SELECT "core"."lowered"("value")) AS "typed"("t");
END;

-- Concepts: what a search compares is kept by a trigger, for it costs more to make than to compare.
CREATE FUNCTION "core"."concept_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."folded_name" := left("core"."folded"(NEW."name"), 500);
  NEW."name_search" := "core"."search_vector"(NEW."name");
  NEW."search" := NEW."name_search" || "core"."search_vector"(coalesce(NEW."description", ''));
  RETURN NEW;
END $$;

CREATE TRIGGER "concepts_search" BEFORE INSERT OR UPDATE OF "name", "description" ON "public"."concepts"
FOR EACH ROW EXECUTE FUNCTION "core"."concept_search"();

CREATE INDEX "concepts_folded_name_like" ON "public"."concepts" USING gin ("folded_name" gin_trgm_ops);

-- Logins that differ by case alone would be taken for each other.
CREATE UNIQUE INDEX "users_login_lower_key" ON "core"."users" ("core"."lowered"("login"));

-- An agent's token names its LLM, and no other kind does.
ALTER TABLE "core"."api_tokens" ADD CONSTRAINT "api_tokens_llm_check" CHECK (("kind" = 'agent') = ("llm_id" IS NOT NULL));

-- A player stands for exactly one user, one LLM or the system.
ALTER TABLE "core"."players" ADD CONSTRAINT "players_kind_check" CHECK (
  ("kind" = 'user') = ("user_id" IS NOT NULL) AND ("kind" = 'llm') = ("llm_id" IS NOT NULL));
CREATE UNIQUE INDEX "players_system_key" ON "core"."players" ("kind") WHERE "kind" = 'system';
INSERT INTO "core"."players" ("hash", "kind")
VALUES (encode(sha256('engraph:system'::bytea), 'hex'), 'system');
