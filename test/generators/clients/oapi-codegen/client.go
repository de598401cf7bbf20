package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func pointer[T any](value T) *T {
	return &value
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("CATALOG_TOKEN"))
	return nil
}

func main() {
	ctx := context.Background()
	api := must(NewClientWithResponses(os.Getenv("CATALOG_URL"), WithRequestEditorFn(authorize)))

	item := NewItem{
		Name:     "Oak desk",
		Value:    pointer(1234567.89),
		Sku:      pointer("oapi-codegen"),
		Metadata: &MetadataChanges{"size": map[string]any{"people": []int{4, 6}}},
	}
	created := must(api.CreateItemWithResponse(ctx, nil, item)).JSON201.Data
	changes := ItemChanges{Value: pointer(0.0), Metadata: &MetadataChanges{"color": "black"}}
	updated := must(api.UpdateItemWithResponse(ctx, created.Id, nil, changes)).JSON200.Data
	read := must(api.GetItemWithResponse(ctx, created.Id)).JSON200.Data
	listed := must(api.ListItemsWithResponse(ctx, &ListItemsParams{Sku: item.Sku})).JSON200.Data[0]
	ids := []int{created.Id, created.Id + 1000000}
	both := must(api.ListItemsWithResponse(ctx, &ListItemsParams{Ids: &ids})).JSON200.Data
	recorded := must(api.ListChangesWithResponse(ctx, nil)).JSON200.Data
	limits := must(api.GetCatalogWithResponse(ctx)).JSON200.Data.Limits

	must(0, json.NewEncoder(os.Stdout).Encode([]any{created, updated, read, listed, limits.Name.Max, len(both), len(recorded)}))
}
